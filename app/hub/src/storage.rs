//! The files of models in the browser's private file system, a folder for each model.

use attention_protocol::{
    OrLogged,
    hub::{HubFailure, HubFile, KeptModel},
    integrity::describe,
};
use js_sys::{Date, IteratorNext, Uint8Array};
use sha2::{Digest, Sha256};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, DomException, FileSystemDirectoryHandle, FileSystemFileHandle,
    FileSystemGetDirectoryOptions, FileSystemGetFileOptions, FileSystemReadWriteOptions,
    FileSystemRemoveOptions, FileSystemSyncAccessHandle, StorageEstimate,
};

use crate::browser::scope;

/// The folder with the folders of all models.
const MODELS: &str = "models";
/// The file in the folder of a model that describes it.
const KEPT: &str = ".kept.json";
/// The number of bytes that are read at once for a digest.
const PART_BYTES: usize = 1 << 20;

/// The folders of all models.
pub struct Storage(FileSystemDirectoryHandle);

/// The folder of a model.
pub struct Folder(FileSystemDirectoryHandle);

/// An open file, which no other tab can write at the same time.
pub struct OpenFile {
    name: String,
    handle: FileSystemSyncAccessHandle,
}

impl Storage {
    /// Opens the browser's private file system.
    ///
    /// # Errors
    /// If the browser has none.
    pub async fn open() -> Result<Self, HubFailure> {
        let no_storage = |error: JsValue| HubFailure::NoStorage {
            reason: describe(&error),
        };
        let manager = scope().navigator().storage();
        if manager.is_undefined() {
            return Err(no_storage(JsValue::from_str(
                "navigator.storage is undefined",
            )));
        }
        let root = JsFuture::from(manager.get_directory()).await;
        let root: FileSystemDirectoryHandle = root.map_err(no_storage)?.unchecked_into();
        let models = directory(&root, MODELS, true).await.map_err(no_storage)?;
        Ok(Storage(models))
    }

    /// Returns the models with a readable description, the one used last first.
    pub async fn models(&self) -> Vec<KeptModel> {
        let mut models = Vec::new();
        for name in names(&self.0).await {
            let Some(folder) = directory(&self.0, &name, false)
                .await
                .or_logged("opening a model's folder")
            else {
                continue;
            };
            models.extend(Folder(folder).kept().await);
        }
        models.sort_by(|a, b| b.used_ms.total_cmp(&a.used_ms));
        models
    }

    /// Returns the folder of a model; `None` if there is none.
    pub async fn find(&self, name: &str) -> Option<Folder> {
        let folder = directory(&self.0, name, false).await;
        folder.or_logged("opening a model's folder").map(Folder)
    }

    /// Returns the folder of a model, which is made if there is none.
    ///
    /// # Errors
    /// If the browser refuses it.
    pub async fn folder(&self, name: &str) -> Result<Folder, HubFailure> {
        let folder = directory(&self.0, name, true).await;
        folder.map(Folder).map_err(|error| failure(name, &error))
    }

    /// Deletes the folder of a model.
    ///
    /// # Errors
    /// If the browser refuses it, as while another tab writes a file in it.
    pub async fn remove(&self, name: &str) -> Result<(), HubFailure> {
        let options = FileSystemRemoveOptions::new();
        options.set_recursive(true);
        let removed = JsFuture::from(self.0.remove_entry_with_options(name, &options)).await;
        removed.map(drop).map_err(|error| failure(name, &error))
    }
}

impl Folder {
    /// Reads the description of the model; `None` if it is missing or broken.
    pub async fn kept(&self) -> Option<KeptModel> {
        let text = self
            .text(KEPT)
            .await
            .or_logged("reading a model's description")?;
        let kept: Option<KeptModel> =
            serde_json::from_str(&text).or_logged("reading a model's description");
        let mut kept = kept?;
        kept.here_bytes = 0;
        for file in kept.files() {
            if let Ok(here) = self.file(&file.name).await {
                kept.here_bytes += here.size() as u64;
            }
        }
        Some(kept)
    }

    /// Writes the description of the model, used now.
    ///
    /// # Errors
    /// If the storage fails.
    pub async fn keep(&self, kept: &KeptModel) -> Result<(), HubFailure> {
        let kept = KeptModel {
            used_ms: Date::now(),
            ..kept.clone()
        };
        let text = serde_json::to_vec(&kept).map_err(|error| HubFailure::Protocol {
            reason: error.to_string(),
        })?;
        let file = self.open(KEPT).await?;
        file.truncate()?;
        file.write(0, &text)
    }

    /// Returns a file to be read.
    ///
    /// # Errors
    /// If there is none.
    pub async fn file(&self, name: &str) -> Result<Blob, HubFailure> {
        let file = async {
            let handle = JsFuture::from(self.0.get_file_handle(name)).await?;
            let handle: FileSystemFileHandle = handle.unchecked_into();
            JsFuture::from(handle.get_file()).await
        };
        let file = file.await.map_err(|error| failure(name, &error))?;
        Ok(file.unchecked_into())
    }

    /// Opens a file to be written; it is made if there is none.
    ///
    /// # Errors
    /// If another tab has it open, or the storage fails.
    pub async fn open(&self, name: &str) -> Result<OpenFile, HubFailure> {
        let options = FileSystemGetFileOptions::new();
        options.set_create(true);
        let open = async {
            let handle = self.0.get_file_handle_with_options(name, &options);
            let handle: FileSystemFileHandle = JsFuture::from(handle).await?.unchecked_into();
            JsFuture::from(handle.create_sync_access_handle()).await
        };
        let handle = open.await.map_err(|error| failure(name, &error))?;
        Ok(OpenFile {
            name: name.to_owned(),
            handle: handle.unchecked_into(),
        })
    }

    async fn text(&self, name: &str) -> Result<String, JsValue> {
        let file = self.file(name).await;
        let file = file.map_err(|failure| JsValue::from_str(&format!("{failure:?}")))?;
        let text = JsFuture::from(file.text()).await?;
        Ok(text.as_string().unwrap_or_default())
    }
}

impl OpenFile {
    /// Returns the size of the file in bytes.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn bytes(&self) -> Result<u64, HubFailure> {
        let size = self
            .handle
            .get_size()
            .map_err(|error| self.failure(&error))?;
        Ok(size as u64)
    }

    /// Makes the file empty.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn truncate(&self) -> Result<(), HubFailure> {
        let truncated = self.handle.truncate_with_u32(0);
        truncated.map_err(|error| self.failure(&error))
    }

    /// Writes bytes at a place.
    ///
    /// # Errors
    /// If the storage fails or has no room.
    pub fn write(&self, at: u64, bytes: &[u8]) -> Result<(), HubFailure> {
        let mut written = 0;
        while written < bytes.len() {
            let options = place(at + written as u64);
            let part = Uint8Array::from(&bytes[written..]);
            let count = self
                .handle
                .write_with_buffer_source_and_options(&part, &options);
            let count = count.map_err(|error| self.failure(&error))? as usize;
            if count == 0 {
                return Err(self.failure(&JsValue::from_str("nothing was written")));
            }
            written += count;
        }
        self.handle.flush().map_err(|error| self.failure(&error))
    }

    /// Returns true if the contents have the digest that a hub told of the file, or it told none.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn is_described_by(&self, file: &HubFile) -> Result<bool, HubFailure> {
        let Some(expected) = &file.sha256 else {
            return Ok(true);
        };
        let mut digest = Sha256::new();
        let part = Uint8Array::new_with_length(PART_BYTES as u32);
        let mut at = 0;
        loop {
            let count = self
                .handle
                .read_with_buffer_source_and_options(&part, &place(at));
            let count = count.map_err(|error| self.failure(&error))? as u32;
            if count == 0 {
                break;
            }
            digest.update(part.subarray(0, count).to_vec());
            at += u64::from(count);
        }
        let found: String = digest
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Ok(found == *expected)
    }

    fn failure(&self, error: &JsValue) -> HubFailure {
        failure(&self.name, error)
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        self.handle.close();
    }
}

/// Returns the number of bytes that the browser still has for this page; `None` if it does not say.
pub async fn free_bytes() -> Option<u64> {
    let manager = scope().navigator().storage();
    let estimate = JsFuture::from(manager.estimate().or_logged("asking for the quota")?).await;
    let estimate: StorageEstimate = estimate.or_logged("asking for the quota")?.unchecked_into();
    let free = estimate.get_quota()? - estimate.get_usage()?;
    Some(free.max(0.0) as u64)
}

/// Asks the browser not to delete the files when the disk is full. It may refuse: then models are downloaded again.
pub async fn persist() {
    let manager = scope().navigator().storage();
    if let Some(asked) = manager.persist().or_logged("asking to keep the files") {
        JsFuture::from(asked)
            .await
            .or_logged("asking to keep the files");
    }
}

async fn directory(
    parent: &FileSystemDirectoryHandle,
    name: &str,
    create: bool,
) -> Result<FileSystemDirectoryHandle, JsValue> {
    let options = FileSystemGetDirectoryOptions::new();
    options.set_create(create);
    let handle = JsFuture::from(parent.get_directory_handle_with_options(name, &options)).await?;
    Ok(handle.unchecked_into())
}

async fn names(directory: &FileSystemDirectoryHandle) -> Vec<String> {
    let iterator = directory.keys();
    let mut names = Vec::new();
    loop {
        let Some(next) = iterator.next().or_logged("listing the models") else {
            return names;
        };
        let Some(next) = JsFuture::from(next).await.or_logged("listing the models") else {
            return names;
        };
        let next: IteratorNext = next.unchecked_into();
        if next.done() {
            return names;
        }
        names.extend(next.value().as_string());
    }
}

fn place(at: u64) -> FileSystemReadWriteOptions {
    let options = FileSystemReadWriteOptions::new();
    options.set_at(at as f64);
    options
}

/// Classifies an error of the storage.
fn failure(name: &str, error: &JsValue) -> HubFailure {
    let kind = error.dyn_ref::<DomException>().map(DomException::name);
    let name = name.to_owned();
    match kind.as_deref() {
        Some("NoModificationAllowedError") => HubFailure::Busy { name },
        Some("QuotaExceededError") => HubFailure::Quota {
            needed_bytes: 0,
            free_bytes: None,
        },
        _ => HubFailure::Storage {
            name,
            reason: describe(error),
        },
    }
}
