//! A model from the visitor's disk: its files, which the engine reads where they are. Nothing of them is sent or stored.

mod chosen;
mod layout;
mod picking;
mod weights;

use leptos::prelude::*;
use web_sys::Blob;

pub use self::{
    chosen::{Chosen, Picked},
    picking::{dropped, holds_files, picked},
};
use crate::state::{MineId, View};

/// The model from the visitor's disk, as long as the page is open. A context: take it with [`Mine::expect`].
#[derive(Clone, Copy)]
pub struct Mine {
    about: RwSignal<Option<About>>,
    files: StoredValue<Vec<(&'static str, Blob)>, LocalStorage>,
}

/// Facts of the model that need no loading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Its name in addresses.
    pub id: MineId,
    /// Its name: the folder's, or the configuration's; empty if neither has one.
    pub name: String,
    /// Its architecture, as `config.json` names it.
    pub model_type: String,
    /// Bytes of its weights' file.
    pub bytes: u64,
    /// Numbers in that file.
    pub parameters: u64,
}

impl Mine {
    /// Provides it, none being chosen yet.
    pub fn provide() -> Self {
        let mine = Mine {
            about: RwSignal::new(None),
            files: StoredValue::new_local(Vec::new()),
        };
        provide_context(mine);
        mine
    }

    /// The one that a component above provided.
    ///
    /// # Panics
    /// Outside the page's component tree.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Facts of the chosen model; subscribes to the choice of another.
    pub fn about(self) -> Option<About> {
        self.about.get()
    }

    /// Facts of the model that an address names, if its files were chosen.
    pub fn find(self, id: Option<MineId>) -> Option<About> {
        let about = self.about.get()?;
        id.is_none_or(|id| id == about.id).then_some(about)
    }

    /// Has a view show the chosen model. A text that was typed for it, as in a link that names it, stays.
    pub fn choose(self, chosen: Chosen, view: &mut View) {
        let Chosen { about, files } = chosen;
        view.use_mine(about.id, &about.name);
        self.files.set_value(files);
        self.about.set(Some(about));
    }

    /// The files of the model that an address names, each with what it is; `None` where they were not chosen.
    pub fn files(self, id: Option<MineId>) -> Option<Vec<(&'static str, Blob)>> {
        let about = self.about.get_untracked()?;
        let is_meant = id.is_none_or(|id| id == about.id);
        is_meant.then(|| self.files.get_value())
    }
}
