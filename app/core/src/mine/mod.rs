//! A model from the visitor's disk. The engine reads its files in place; nothing of them is sent or stored.

mod chosen;
mod gguf;
mod layout;
mod picking;
mod pytorch;
mod weights;

use leptos::prelude::*;
use web_sys::Blob;

pub use self::{
    chosen::{Chosen, Picked},
    picking::{dropped, holds_files, picked},
    weights::{Types, check_size},
};
use crate::state::{MineId, View};

/// The model from the visitor's disk, kept as long as the page is open. A context: take it with [`Mine::expect`].
#[derive(Clone, Copy)]
pub struct Mine {
    about: RwSignal<Option<About>>,
    files: StoredValue<Vec<(&'static str, Blob)>, LocalStorage>,
}

/// Facts about the model that are known before it is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// The id that names the model in addresses.
    pub id: MineId,
    /// The name of the model: the folder's, the GGUF file's, or the configuration's; empty if none has one.
    pub name: String,
    /// The architecture named in `config.json` or the GGUF file.
    pub model_type: String,
    /// The licence, if the GGUF file names one.
    pub licence: Option<String>,
    /// The size of the weights' file in bytes.
    pub bytes: u64,
    /// The number of weights of each type in that file.
    pub types: Types,
}

impl Mine {
    /// Provides the context, with no model chosen yet.
    pub fn provide() -> Self {
        let mine = Mine {
            about: RwSignal::new(None),
            files: StoredValue::new_local(Vec::new()),
        };
        provide_context(mine);
        mine
    }

    /// Returns the context that a component above provided.
    ///
    /// # Panics
    /// Outside the page's component tree.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Returns the facts about the chosen model; subscribes to the choice.
    pub fn about(self) -> Option<About> {
        self.about.get()
    }

    /// Returns the facts about the model that an address names, if its files were chosen.
    pub fn find(self, id: Option<MineId>) -> Option<About> {
        let about = self.about.get()?;
        id.is_none_or(|id| id == about.id).then_some(about)
    }

    /// Makes a view show the chosen model. A text that was typed for it, as in a link that names it, stays.
    pub fn choose(self, chosen: Chosen, view: &mut View) {
        let Chosen { about, files } = chosen;
        view.use_mine(about.id, &about.name);
        self.files.set_value(files);
        self.about.set(Some(about));
    }

    /// Returns the files of the model that an address names, each with its role; `None` if they were not chosen.
    pub fn files(self, id: Option<MineId>) -> Option<Vec<(&'static str, Blob)>> {
        let about = self.about.get_untracked()?;
        let is_meant = id.is_none_or(|id| id == about.id);
        is_meant.then(|| self.files.get_value())
    }
}
