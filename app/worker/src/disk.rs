//! The files of a checkpoint from the visitor's disk, read a part at a time.

use attention_model::checkpoint::CheckpointFiles;
use attention_protocol::{Failure, FilesFault, Reply, RequestId};
use js_sys::{ArrayBuffer, JSON, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use crate::browser;

/// The number of bytes read at once: the memory that a file occupies in the browser outside WebAssembly.
const PART_BYTES: u64 = 8 << 20;

/// Reads the files, which are in the order of `names`, and reports the progress to the page. `current` returns true as
/// long as the files are still needed.
pub async fn checkpoint(
    id: RequestId,
    names: &[String],
    files: &[Blob],
    current: impl Fn() -> bool,
) -> Result<CheckpointFiles, Failure> {
    let mut reading = Reading {
        id,
        read_bytes: 0,
        total_bytes: files.iter().map(bytes_of).sum(),
        current,
    };
    let found = |name: &str| {
        let mut named = names.iter().zip(files);
        named
            .find(|(known, _)| *known == name)
            .map(|(_, file)| file)
    };
    let generation = match found("generation_config.json") {
        Some(file) => Some(reading.json("generation_config.json", Some(file)).await?),
        None => None,
    };
    let config = reading.json("config.json", found("config.json"));
    let config = config.await?;
    let tokenizer = reading.json("tokenizer.json", found("tokenizer.json"));
    let tokenizer = tokenizer.await?;
    let weights = reading.contents("model.safetensors", found("model.safetensors"));
    Ok(CheckpointFiles {
        config,
        tokenizer,
        generation,
        weights: weights.await?,
    })
}

struct Reading<F> {
    id: RequestId,
    read_bytes: u64,
    total_bytes: u64,
    current: F,
}

impl<F: Fn() -> bool> Reading<F> {
    /// Reads the contents of a file that must be JSON.
    async fn json(&mut self, name: &str, file: Option<&Blob>) -> Result<Vec<u8>, Failure> {
        let contents = self.contents(name, file).await?;
        match JSON::parse(&String::from_utf8_lossy(&contents)) {
            Ok(_) => Ok(contents),
            Err(error) => Err(faulty(FilesFault::Json {
                name: name.to_owned(),
                reason: browser::describe(&error),
            })),
        }
    }

    async fn contents(&mut self, name: &str, file: Option<&Blob>) -> Result<Vec<u8>, Failure> {
        let file = file.ok_or_else(|| {
            faulty(FilesFault::Missing {
                names: vec![name.to_owned()],
                instead: vec![],
            })
        })?;
        let unreadable = |error: JsValue| {
            faulty(FilesFault::Unreadable {
                name: name.to_owned(),
                reason: browser::describe(&error),
            })
        };
        let length = bytes_of(file);
        let mut contents = room_for(length)?;
        while (contents.len() as u64) < length {
            let from = contents.len() as u64;
            let part = part_of(file, from, length.min(from + PART_BYTES)).await;
            let part = part.map_err(unreadable)?;
            if !(self.current)() {
                return Err(Failure::Cancelled);
            }
            if part.length() == 0 {
                return Err(unreadable(JsValue::from_str("it has become shorter")));
            }
            let start = contents.len();
            contents.resize(start + part.length() as usize, 0);
            part.copy_to(&mut contents[start..]);
            self.read_bytes += u64::from(part.length());
            let progress = Reply::Progress {
                received_bytes: self.read_bytes,
                total_bytes: Some(self.total_bytes),
            };
            browser::post(self.id, progress, None);
        }
        Ok(contents)
    }
}

/// Returns an empty vector with room for the given number of bytes.
fn room_for(bytes: u64) -> Result<Vec<u8>, Failure> {
    let too_large = || {
        faulty(FilesFault::TooLarge {
            bytes,
            limit: isize::MAX as u64,
        })
    };
    let mut room = Vec::new();
    let length = usize::try_from(bytes).map_err(|_| too_large())?;
    room.try_reserve_exact(length).map_err(|_| too_large())?;
    Ok(room)
}

async fn part_of(file: &Blob, from: u64, to: u64) -> Result<Uint8Array, JsValue> {
    let part = file.slice_with_f64_and_f64(from as f64, to as f64)?;
    let buffer: ArrayBuffer = JsFuture::from(part.array_buffer()).await?.dyn_into()?;
    Ok(Uint8Array::new(&buffer))
}

fn bytes_of(file: &Blob) -> u64 {
    file.size() as u64
}

fn faulty(fault: FilesFault) -> Failure {
    Failure::Files { fault }
}
