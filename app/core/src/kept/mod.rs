//! Models that were trained on this page. Their files are in the engine's storage, the list of them in the browser's;
//! nothing of them is sent anywhere.

mod index;

use attention_protocol::ServedFile;
use leptos::prelude::*;
use wasm_bindgen::JsValue;

pub use self::index::{KeptFile, KeptModel, directory};
use self::index::{parsed, spelled};
use crate::{
    assets::storage,
    remembered::storage::{read, write},
    state::TrainedId,
};

/// Where the list is.
const LIST: &str = "attention-scope.trained";
/// The most models that are kept; the oldest makes room.
const MOST: usize = 8;

/// The kept models, the newest first. A context: take it with [`KeptModels::expect`].
#[derive(Clone, Copy)]
pub struct KeptModels(RwSignal<Vec<KeptModel>>);

impl KeptModels {
    /// Reads the list and provides it.
    pub fn provide() -> Self {
        let list = read(LIST).map(|kept| parsed(&kept)).unwrap_or_default();
        let kept = KeptModels(RwSignal::new(list));
        provide_context(kept);
        kept
    }

    /// The list that a component above provided.
    ///
    /// # Panics
    /// Outside the page's component tree.
    pub fn expect() -> Self {
        expect_context()
    }

    /// All of them, the newest first; subscribes to their change.
    pub fn list(self) -> Vec<KeptModel> {
        self.0.get()
    }

    /// One of them; subscribes to the list's change.
    pub fn find(self, id: TrainedId) -> Option<KeptModel> {
        self.0
            .with(|list| list.iter().find(|model| model.id == id).cloned())
    }

    /// The files of one of them, where the engine finds them.
    pub fn files(self, id: TrainedId) -> Option<Vec<ServedFile>> {
        self.0.with_untracked(|list| {
            let found = list.iter().find(|model| model.id == id);
            found.map(KeptModel::served)
        })
    }

    /// Keeps a model, of whose files `contents` are in the same order; the oldest beyond [`MOST`] are forgotten.
    ///
    /// # Errors
    /// Where the browser keeps nothing for this page, or has no room left; then nothing is kept of it.
    pub async fn keep(self, model: KeptModel, contents: &[Vec<u8>]) -> Result<(), JsValue> {
        for (file, contents) in model.files.iter().zip(contents) {
            storage::keep(&file.address(model.id), contents).await?;
        }
        // Kept anew it is the newest.
        let mut list = self.0.try_get_untracked().unwrap_or_default();
        list.retain(|other| other.id != model.id);
        list.insert(0, model);
        let too_many = list.split_off(list.len().min(MOST));
        self.replace(list);
        for model in too_many {
            forget_files(&model).await;
        }
        Ok(())
    }

    /// Forgets a model.
    pub async fn forget(self, id: TrainedId) {
        let mut list = self.0.try_get_untracked().unwrap_or_default();
        let found = list.iter().position(|model| model.id == id);
        if let Some(model) = found.map(|index| list.remove(index)) {
            self.replace(list);
            forget_files(&model).await;
        }
    }

    fn replace(self, list: Vec<KeptModel>) {
        write(LIST, &spelled(&list));
        self.0.try_set(list);
    }
}

async fn forget_files(model: &KeptModel) {
    for file in &model.files {
        // What cannot be dropped only takes room, until the browser clears it away.
        let _ = storage::forget(&file.address(model.id)).await;
    }
}
