//! Requests to a hub: the description of a model, and files in parts that are written as they arrive.

use attention_protocol::{
    RequestId,
    hub::{Choice, HubAddress, HubFailure, HubFile, HubModel, HubReply, KeptModel},
};
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{ReadableStreamDefaultReader, Response};

use crate::{
    asking::{Asking, PARTIAL_CONTENT},
    browser::post,
    listing, mirror,
    storage::{Folder, OpenFile, Storage, free_bytes, persist},
};

/// The number of bytes of a request: a broken download goes on from the last whole one.
const PART_BYTES: u64 = 4 << 20;

/// Asks a hub for the description of a model, or for its files where the hub describes none.
///
/// # Errors
/// If the hub does not answer, has no such model, or the description cannot be read.
pub async fn find(address: HubAddress, asking: &Asking) -> Result<HubModel, HubFailure> {
    let url = address.listing();
    let text = match asking.text(&url).await {
        Err(HubFailure::Absent { url }) => {
            let found = mirror::find(address, asking).await?;
            return match found.files.is_empty() {
                true => Err(HubFailure::Absent { url }),
                false => Ok(found),
            };
        }
        text => text?,
    };
    listing::parse(address, &text).map_err(|error| {
        let reason = error.to_string();
        HubFailure::Listing { url, reason }
    })
}

/// A download of all files of a choice.
pub struct Download<'a> {
    id: RequestId,
    asking: &'a Asking,
    kept: KeptModel,
    received_bytes: u64,
    total_bytes: u64,
}

impl<'a> Download<'a> {
    /// Downloads the files of a choice that are not here yet, and returns the name of their folder.
    ///
    /// # Errors
    /// If a file cannot be had, is another than the hub described, or cannot be kept. The received parts stay.
    pub async fn run(
        id: RequestId,
        model: HubModel,
        choice: &Choice,
        asking: &'a Asking,
    ) -> Result<String, HubFailure> {
        let storage = Storage::open().await?;
        persist().await;
        let name = model.folder(&choice.weights);
        let folder = storage.folder(&name).await?;
        let before = folder.kept().await;
        let kept = described_anew(before, model, &choice.weights);
        has_room(choice.bytes().saturating_sub(kept.here_bytes)).await?;
        folder.keep(&kept).await?;
        let mut download = Download {
            id,
            asking,
            kept,
            received_bytes: 0,
            total_bytes: choice.bytes(),
        };
        for file in &choice.files {
            download.file(&folder, file).await?;
        }
        Ok(name)
    }

    async fn file(&mut self, folder: &Folder, file: &HubFile) -> Result<(), HubFailure> {
        if self.kept.checked.contains(&file.name) {
            self.advance(file.bytes);
            return Ok(());
        }
        {
            let open = folder.open(&file.name).await?;
            self.fill(&open, file).await?;
            if !open.is_described_by(file)? {
                open.truncate()?;
                let name = file.name.clone();
                return Err(HubFailure::Digest { name });
            }
        }
        self.kept.checked.push(file.name.clone());
        folder.keep(&self.kept).await
    }

    /// Requests the parts of a file that are missing.
    async fn fill(&mut self, open: &OpenFile, file: &HubFile) -> Result<(), HubFailure> {
        let model = &self.kept.model;
        let url = model.address.resolve(&model.commit, &file.name);
        let mut here = open.bytes()?;
        if here > file.bytes {
            open.truncate()?;
            here = 0;
        }
        self.advance(here);
        while here < file.bytes {
            let to = file.bytes.min(here + PART_BYTES);
            let response = self.asking.fetch(&url, Some((here, to))).await?;
            if response.status() != PARTIAL_CONTENT {
                // The host knows no parts: the file comes from its beginning.
                self.received_bytes -= here;
                return self.whole(open, file, &url, &response).await;
            }
            let part = self.asking.contents(&url, &response).await?;
            if part.is_empty() || part.len() as u64 > to - here {
                return Err(wrong_length(file, here + part.len() as u64));
            }
            open.write(here, &part)?;
            here += part.len() as u64;
            self.advance(part.len() as u64);
        }
        Ok(())
    }

    /// Writes a file as it arrives in one answer.
    async fn whole(
        &mut self,
        open: &OpenFile,
        file: &HubFile,
        url: &str,
        response: &Response,
    ) -> Result<(), HubFailure> {
        open.truncate()?;
        let unreachable = |error: JsValue| self.asking.unreachable(url, &error);
        let body = response.body().ok_or_else(|| wrong_length(file, 0))?;
        let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
        let mut here = 0;
        loop {
            let read = JsFuture::from(reader.read()).await.map_err(unreachable)?;
            let field = |name: &str| Reflect::get(&read, &JsValue::from_str(name));
            if field("done").map_err(unreachable)?.is_truthy() {
                break;
            }
            let part: Uint8Array = field("value").map_err(unreachable)?.unchecked_into();
            let end = here + u64::from(part.length());
            if end > file.bytes {
                return Err(wrong_length(file, end));
            }
            open.write(here, &part.to_vec())?;
            here = end;
            post(
                self.id,
                HubReply::Progress {
                    received_bytes: self.received_bytes + here,
                    total_bytes: self.total_bytes,
                },
            );
        }
        self.received_bytes += here;
        match here == file.bytes {
            true => Ok(()),
            false => Err(wrong_length(file, here)),
        }
    }

    fn advance(&mut self, bytes: u64) {
        self.received_bytes += bytes;
        post(
            self.id,
            HubReply::Progress {
                received_bytes: self.received_bytes,
                total_bytes: self.total_bytes,
            },
        );
    }
}

/// Returns the description of a kept model as the hub describes it now. Files that it describes otherwise than before are
/// checked again.
fn described_anew(before: Option<KeptModel>, model: HubModel, weights: &str) -> KeptModel {
    match before {
        Some(mut kept) => {
            let old = std::mem::replace(&mut kept.model, model);
            let is_same = |name: &String| {
                let of =
                    |model: &HubModel| model.files.iter().find(|file| file.name == *name).cloned();
                of(&old) == of(&kept.model)
            };
            kept.checked.retain(is_same);
            kept
        }
        None => KeptModel {
            model,
            weights: weights.to_owned(),
            checked: Vec::new(),
            here_bytes: 0,
            used_ms: 0.0,
            id: None,
        },
    }
}

async fn has_room(needed_bytes: u64) -> Result<(), HubFailure> {
    let free_bytes = free_bytes().await;
    match free_bytes.is_none_or(|free| needed_bytes <= free) {
        true => Ok(()),
        false => Err(HubFailure::Quota {
            needed_bytes,
            free_bytes,
        }),
    }
}

fn wrong_length(file: &HubFile, received_bytes: u64) -> HubFailure {
    HubFailure::Length {
        name: file.name.clone(),
        expected_bytes: file.bytes,
        received_bytes,
    }
}
