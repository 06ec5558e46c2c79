//! All models of the page in this browser, for use without a network.

use std::collections::BTreeSet;

use attention_protocol::ServedFile;
use js_sys::Uint8Array;
use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use crate::{
    assets::{
        checkpoint, fetch,
        storage::{self, StorageError},
    },
    state::Model,
};

/// The state of the models in this browser.
#[derive(Clone, Debug, PartialEq)]
pub enum Kept {
    /// Not looked for yet.
    Unknown,
    /// Some files are not here.
    Missing {
        /// The bytes of these files.
        bytes: u64,
    },
    /// Files are being downloaded.
    Downloading {
        /// The bytes downloaded so far.
        done_bytes: u64,
        /// The bytes of all files that were missing.
        total_bytes: u64,
    },
    /// Every file is here.
    All,
    /// The browser stores nothing, or a file could not be had.
    Failed(StorageError),
}

/// The download of all models. Files that have arrived stay when it is stopped, and are not downloaded again.
#[derive(Clone, Copy)]
pub struct OfflineModels {
    kept: RwSignal<Kept>,
    /// The number of downloads that were begun or stopped; an older one ends.
    attempt: StoredValue<u32>,
}

impl OfflineModels {
    /// Looks for the models in this browser.
    pub fn start() -> Self {
        let models = OfflineModels {
            kept: RwSignal::new(Kept::Unknown),
            attempt: StoredValue::new(0),
        };
        models.look();
        models
    }

    /// Returns the state; subscribes to its changes.
    pub fn kept(self) -> Kept {
        self.kept.get()
    }

    /// Downloads the files that are missing.
    pub fn download(self) {
        let attempt = self.next_attempt();
        spawn_local(async move {
            let ended = self.download_missing(attempt).await;
            let is_latest = self.attempt.try_get_value() == Some(attempt);
            if let Err(error) = ended
                && is_latest
            {
                self.kept.try_set(Kept::Failed(error));
            }
        });
    }

    /// Stops the download after the file that is on its way.
    pub fn stop(self) {
        self.next_attempt();
        self.look();
    }

    fn next_attempt(self) -> u32 {
        self.attempt.update_value(|attempt| *attempt += 1);
        self.attempt.get_value()
    }

    fn look(self) {
        let attempt = self.attempt.get_value();
        spawn_local(async move {
            let bytes = total(&missing().await);
            if self.attempt.try_get_value() == Some(attempt) {
                self.kept.try_set(match bytes {
                    0 => Kept::All,
                    bytes => Kept::Missing { bytes },
                });
            }
        });
    }

    async fn download_missing(self, attempt: u32) -> Result<(), StorageError> {
        let missing = missing().await;
        let total_bytes = total(&missing);
        let mut done_bytes = 0;
        for file in missing {
            if self.attempt.try_get_value() != Some(attempt) {
                return Ok(());
            }
            self.kept.try_set(Kept::Downloading {
                done_bytes,
                total_bytes,
            });
            storage::keep(&file.url, &downloaded(&file).await?).await?;
            done_bytes += file.bytes;
        }
        if self.attempt.try_get_value() == Some(attempt) {
            self.kept.try_set(Kept::All);
        }
        Ok(())
    }
}

/// Returns the contents of a file, as they were published.
async fn downloaded(file: &ServedFile) -> Result<Vec<u8>, StorageError> {
    let response = fetch(&file.url).await?;
    let bytes = JsFuture::from(response.array_buffer()?).await?;
    let bytes = Uint8Array::new(&bytes).to_vec();
    match storage::sha256(&bytes).await? == file.sha256 {
        true => Ok(bytes),
        false => Err(JsValue::from_str(&file.url).into()),
    }
}

/// Returns the files of served models that this browser has not stored, each once.
async fn missing() -> Vec<ServedFile> {
    let directories: BTreeSet<&str> = Model::served().filter_map(Model::directory).collect();
    let mut missing = Vec::new();
    for file in directories.into_iter().flat_map(checkpoint) {
        if !storage::is_kept(&file.url).await {
            missing.push(file);
        }
    }
    missing
}

fn total(files: &[ServedFile]) -> u64 {
    files.iter().map(|file| file.bytes).sum()
}
