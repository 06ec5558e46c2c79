//! Models that were trained on this page. Their files are in the engine's storage, the list of them in the browser's
//! local storage; nothing is sent anywhere.

mod index;

use attention_protocol::{OrLogged, ServedFile};
use leptos::{ev, prelude::*};

pub use self::index::{KeptFile, KeptModel, directory};
use self::index::{parsed, spelled};
use crate::{
    assets::storage::{self, StorageError},
    remembered::storage::{read, write},
    state::TrainedId,
};

/// The key of the list in the browser's local storage.
const LIST: &str = "attention-scope.trained";
/// The largest number of models that are kept; the oldest makes room for a new one.
const MOST: usize = 8;

/// The kept models, the newest first. A context: take it with [`KeptModels::expect`].
#[derive(Clone, Copy)]
pub struct KeptModels(RwSignal<Vec<KeptModel>>);

impl KeptModels {
    /// Reads the list and provides it as a context; it follows changes made in other tabs.
    pub fn provide() -> Self {
        let kept = KeptModels(RwSignal::new(listed().unwrap_or_default()));
        provide_context(kept);
        let listener = window_event_listener(ev::storage, move |event| {
            if event.key().as_deref() == Some(LIST) {
                kept.0.set(listed().unwrap_or_default());
            }
        });
        on_cleanup(move || listener.remove());
        kept
    }

    /// Returns the list that a component above provided.
    ///
    /// # Panics
    /// Outside the page's component tree.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Returns all kept models, the newest first; subscribes to their change.
    pub fn list(self) -> Vec<KeptModel> {
        self.0.get()
    }

    /// Returns the model with an id; subscribes to the list's change.
    pub fn find(self, id: TrainedId) -> Option<KeptModel> {
        self.0
            .with(|list| list.iter().find(|model| model.id == id).cloned())
    }

    /// Returns the files of a model with their addresses for the engine.
    pub fn files(self, id: TrainedId) -> Option<Vec<ServedFile>> {
        self.0.with_untracked(|list| {
            let found = list.iter().find(|model| model.id == id);
            found.map(KeptModel::served)
        })
    }

    /// Keeps a model; `contents` has the contents of its files, in the same order. The oldest models beyond [`MOST`]
    /// are deleted.
    ///
    /// # Errors
    /// If the browser stores nothing for this page, does not answer, or has no room left; then nothing of the model is
    /// kept.
    pub async fn keep(self, model: KeptModel, contents: &[Vec<u8>]) -> Result<(), StorageError> {
        if let Err(error) = keep_files(&model, contents).await {
            // Of one that is in the list, the files are what they were.
            if !self.newest_list().iter().any(|kept| kept.id == model.id) {
                forget_files(&model).await;
            }
            return Err(error);
        }
        // Kept anew it is the newest.
        let mut list = self.newest_list();
        list.retain(|other| other.id != model.id);
        list.insert(0, model);
        let too_many = list.split_off(list.len().min(MOST));
        self.replace(list);
        for model in too_many {
            forget_files(&model).await;
        }
        Ok(())
    }

    /// Removes a model from the list and deletes its files.
    pub async fn forget(self, id: TrainedId) {
        let mut list = self.newest_list();
        let found = list.iter().position(|model| model.id == id);
        if let Some(model) = found.map(|index| list.remove(index)) {
            self.replace(list);
            forget_files(&model).await;
        }
    }

    /// Returns the list with the latest changes of other tabs; if the browser stores none, the list of this tab.
    fn newest_list(self) -> Vec<KeptModel> {
        listed().unwrap_or_else(|| self.0.try_get_untracked().unwrap_or_default())
    }

    fn replace(self, list: Vec<KeptModel>) {
        write(LIST, &spelled(&list));
        self.0.try_set(list);
    }
}

/// Reads the list in the browser's local storage.
fn listed() -> Option<Vec<KeptModel>> {
    read(LIST).map(|kept| parsed(&kept))
}

async fn keep_files(model: &KeptModel, contents: &[Vec<u8>]) -> Result<(), StorageError> {
    for (file, contents) in model.files.iter().zip(contents) {
        storage::keep(&file.address(model.id), contents).await?;
    }
    Ok(())
}

async fn forget_files(model: &KeptModel) {
    for file in &model.files {
        // What cannot be deleted only takes room, until the browser clears it away.
        storage::forget(&file.address(model.id))
            .await
            .or_logged("deleting a kept model");
    }
}
