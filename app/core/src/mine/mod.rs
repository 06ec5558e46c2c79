//! Models from the visitor's disk: the one of the page, and another file that is compared with it. The engines read their
//! files in place; nothing of them is sent or stored.

mod chosen;
mod field;
mod gguf;
mod layout;
mod picking;
mod pytorch;
mod recorded;
mod served;
mod weights;

use std::sync::Arc;

use attention_trace::{card::FileTensor, config::reads_pictures};
use leptos::prelude::*;
use web_sys::Blob;

use self::layout::{GGUF, PYTORCH, WEIGHTS};
pub use self::{
    chosen::{Chosen, Picked},
    field::FileField,
    picking::{dropped, holds_files, picked, text_of_only},
    recorded::Recorded,
    weights::{Types, check_size},
};
use crate::pictures::Scene;
use crate::state::{MineId, Model, View};

/// The models from the visitor's disk, kept as long as the page is open. A context: take it with [`Mine::expect`].
#[derive(Clone, Copy)]
pub struct Mine {
    /// The model of the page.
    own: Held,
    /// The model that is compared with the one on screen.
    beside: Held,
    /// The model of a server.
    served: Held,
}

/// A model that was chosen, and its files.
#[derive(Clone, Copy)]
struct Held {
    about: RwSignal<Option<About>>,
    files: StoredValue<Vec<(&'static str, Blob)>, LocalStorage>,
    /// The recorded pass, if that was chosen in place of a model.
    recorded: StoredValue<Option<Recorded>>,
}

impl Held {
    fn nothing() -> Self {
        Held {
            about: RwSignal::new(None),
            files: StoredValue::new_local(Vec::new()),
            recorded: StoredValue::new(None),
        }
    }

    fn hold(self, chosen: Chosen) {
        let Chosen {
            about,
            files,
            recorded,
        } = chosen;
        self.files.set_value(files);
        self.recorded.set_value(recorded);
        self.about.set(Some(about));
    }

    /// True if it is the model of that id; subscribes to the choice.
    fn is(self, id: MineId) -> bool {
        self.about
            .with(|about| about.as_ref().is_some_and(|about| about.id == id))
    }
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
    /// The bytes that the weights take once they are loaded.
    pub loaded_bytes: u64,
    /// The number of weights of each type in that file.
    pub types: Types,
    /// The tensors of the weights, in the order of their names.
    pub tensors: Arc<[FileTensor]>,
    /// The SHA-256 digest of the weights of a server's model, which has no files here.
    pub served: Option<String>,
}

impl About {
    /// True if the model reads pictures.
    pub fn reads_pictures(&self) -> bool {
        reads_pictures(&self.model_type)
    }
}

impl Mine {
    /// Provides the context, with no model chosen yet.
    pub fn provide() -> Self {
        let mine = Mine {
            own: Held::nothing(),
            beside: Held::nothing(),
            served: Held::nothing(),
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

    /// Returns the facts about the model that was chosen for the page; subscribes to the choice.
    pub fn about(self) -> Option<About> {
        self.own.about.get()
    }

    /// Returns the facts about the model that was chosen to be compared; subscribes to the choice.
    pub fn beside(self) -> Option<About> {
        self.beside.about.get()
    }

    /// Returns the facts about the model that an address names, if its files were chosen.
    pub fn find(self, id: Option<MineId>) -> Option<About> {
        self.held(id)?.about.get()
    }

    /// Makes a view show the chosen model. A text that was typed for it, as in a link that names it, stays.
    pub fn choose(self, chosen: Chosen, view: &mut View) {
        let about = &chosen.about;
        let is_linked = view.model == Model::Mine(Some(about.id));
        let had_pictures = untrack(|| self.reads_pictures(view.model));
        view.use_mine(about.id, &about.name);
        if let Some(recorded) = &chosen.recorded {
            view.use_recorded(&recorded.text);
        }
        match (had_pictures, about.reads_pictures()) {
            // The picture that a link names is asked for again.
            (false, true) if is_linked => view.normalised = true,
            (false, true) => {
                view.use_text(Scene::default().to_string());
                // The share of one patch among hundreds shows on no absolute scale.
                view.normalised = true;
            }
            (true, false) => view.use_text(view.model.first_text().to_owned()),
            (true, true) | (false, false) => {}
        }
        self.own.hold(chosen);
    }

    /// Keeps the facts about the model of a server.
    pub fn hold_served(self, about: About) {
        if self
            .served
            .about
            .with_untracked(|held| held.as_ref() != Some(&about))
        {
            self.served.about.set(Some(about));
        }
    }

    /// Keeps a chosen model for the comparison with the one on screen.
    pub fn put_beside(self, chosen: Chosen) {
        self.beside.hold(chosen);
    }

    /// True if the model reads pictures, as far as is known of its files; subscribes to the choice.
    pub fn reads_pictures(self, model: Model) -> bool {
        match model {
            Model::Mine(id) => self.find(id).is_some_and(|about| about.reads_pictures()),
            Model::Served(_) | Model::Trained(_) => false,
        }
    }

    /// Returns the recorded pass that an address names, if it was chosen.
    pub fn recorded(self, model: Model) -> Option<Recorded> {
        let Model::Mine(id) = model else {
            return None;
        };
        untrack(|| self.held(id))?.recorded.get_value()
    }

    /// Returns the files of the model that an address names, each with its role; `None` if they were not chosen.
    pub fn files(self, id: Option<MineId>) -> Option<Vec<(&'static str, Blob)>> {
        let about = untrack(|| self.find(id))?;
        if about.served.is_some() {
            return None;
        }
        Some(untrack(|| self.held(id))?.files.get_value())
    }

    /// Returns the file of a model's weights; `None` if there are none, or several.
    pub fn weights(self, id: Option<MineId>) -> Option<Blob> {
        let files = self.files(id)?.into_iter();
        let mut weights = files.filter(|(name, _)| [WEIGHTS, PYTORCH, GGUF].contains(name));
        let (_, file) = weights.next()?;
        weights.next().is_none().then_some(file)
    }

    /// Returns the place of the model of an id; without an id, the page's.
    fn held(self, id: Option<MineId>) -> Option<Held> {
        match id {
            None => Some(self.own),
            Some(id) => {
                let mut all = [self.own, self.beside, self.served].into_iter();
                all.find(|held| held.is(id))
            }
        }
    }
}
