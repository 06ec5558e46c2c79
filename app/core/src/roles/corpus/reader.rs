//! The reader of sentences and of files of roles, given by the visitor or named by the address.

use std::sync::Arc;

use leptos::{prelude::*, task::spawn_local};
use leptos_i18n::I18nContext;
use web_sys::File;

use super::{
    RoleCorpus,
    opened::{SetFault, bytes_of, is_set, read_set, weights_digest},
    text::{GivenText, LARGEST_BYTES, Origin, TextFault},
};
use crate::{
    assets,
    engine::{Live, Phase, describe},
    i18n::{Locale, t_string},
    kept::KeptModels,
    mine::{Mine, Picked},
    problems::files_fault,
    roles::published::{as_typed, published_texts},
    state::{Model, ViewState},
    widgets::numbers::megabytes,
};
use attention_protocol::FilesFault;
use attention_trace::ModelSpec;

/// The reason why what was given is not taken.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// The browser cannot read the file.
    File(FilesFault),
    /// The file or text has no sentences.
    Text(String, TextFault),
    /// The file of roles is not this model's.
    Set(String, SetFault),
    /// The sentences of this page could not be fetched, for this reason.
    Ours(String),
    /// The file of roles that the address names could not be fetched, for this reason.
    Named(String, String),
    /// The model is not loaded, so that a file of roles cannot be compared with it.
    NoModel,
}

/// Returns a fault in words.
pub fn fault_words(i18n: I18nContext<Locale>, fault: &Fault) -> String {
    match fault {
        Fault::File(fault) => files_fault(i18n, fault),
        Fault::Text(_, TextFault::Empty) => t_string!(i18n, corpus.empty).to_owned(),
        Fault::Text(name, TextFault::NotText) => {
            t_string!(i18n, corpus.not_text, name = name.clone())
        }
        Fault::Text(name, TextFault::TooLarge) => t_string!(
            i18n,
            corpus.too_large,
            name = name.clone(),
            limit = megabytes(LARGEST_BYTES as u64)
        ),
        Fault::Set(name, SetFault::NotRoles(reason)) => t_string!(
            i18n,
            corpus.not_roles,
            name = name.clone(),
            reason = reason.clone()
        ),
        Fault::Set(name, SetFault::OtherWeights) => {
            t_string!(i18n, corpus.other_weights, name = name.clone())
        }
        Fault::Set(name, SetFault::OtherHeads) => {
            t_string!(i18n, corpus.other_heads, name = name.clone())
        }
        Fault::Ours(reason) => t_string!(i18n, encodings.missing_scores, reason = reason.clone()),
        Fault::Named(name, reason) => t_string!(
            i18n,
            corpus.not_fetched,
            name = name.clone(),
            reason = reason.clone()
        ),
        Fault::NoModel => t_string!(i18n, corpus.no_model).to_owned(),
    }
}

/// The reader of what the visitor gives, with the contexts that it needs after a file was read.
#[derive(Clone, Copy)]
pub struct Reader {
    corpus: RoleCorpus,
    live: Live,
    state: ViewState,
    kept: KeptModels,
    mine: Mine,
}

impl Reader {
    /// Takes the contexts from the components above.
    pub fn new() -> Self {
        Reader {
            corpus: RoleCorpus::expect(),
            live: Live::expect(),
            state: ViewState::expect(),
            kept: KeptModels::expect(),
            mine: Mine::expect(),
        }
    }

    /// Takes a text of sentences.
    pub fn take_text(self, origin: Origin, bytes: &[u8]) {
        let name = origin.to_string();
        match GivenText::read(origin, bytes) {
            Ok(text) => {
                self.corpus.fault.try_set(None);
                self.corpus.given.try_set(Some(Arc::new(text)));
            }
            Err(fault) => self.refuse(Fault::Text(name, fault)),
        }
    }

    /// Takes a file of sentences or of roles.
    pub async fn take_file(self, file: File) {
        let bytes = match bytes_of(&file).await {
            Ok(bytes) => bytes,
            Err(fault) => return self.refuse(Fault::File(fault)),
        };
        if !is_set(&bytes) {
            return self.take_text(Origin::File(file.name()), &bytes);
        }
        self.take_set(file.name(), &bytes).await;
        // What is on screen is not what the address named, if it named a file.
        self.state.update_roles(|roles| roles.at.clear());
    }

    /// Takes the first of the files that the visitor picked.
    pub fn take_first(self, picked: Vec<Picked>) {
        if let Some(Picked { file, .. }) = picked.into_iter().next() {
            spawn_local(self.take_file(file));
        }
    }

    /// Takes the sentences that are published with the model, or those that were written for this page.
    pub async fn take_ours(self) {
        let model = self.state.get_untracked().model;
        match published_texts(model).await {
            Ok(texts) => {
                let lines = texts.iter().map(|text| as_typed(text).0);
                let text = lines.collect::<Vec<_>>().join("\n");
                self.take_text(Origin::Ours, text.as_bytes());
            }
            Err(reason) => self.refuse(Fault::Ours(reason)),
        }
    }

    /// Takes the file of roles that the view names, as soon as its model is loaded, now and whenever the view changes.
    pub fn follow_address(self) {
        let named = self.state.select(|view| {
            let name = view.roles.named()?;
            Some((view.model, name.to_owned()))
        });
        let is_loaded = Memo::new(move |_| {
            let model = named.read().as_ref().map(|&(model, _)| model);
            model.is_some_and(|model| self.spec(model).is_some())
        });
        // An effect because the server lies outside the reactive graph.
        Effect::new(move |_| {
            if let Some((model, name)) = named.get().filter(|_| is_loaded.get()) {
                spawn_local(self.take_named(model, name));
            }
        });
    }

    async fn take_named(self, model: Model, name: String) {
        match assets::fetch_text(&name).await {
            Ok(text) if self.state.get_untracked().model == model => {
                self.take_set(name, text.as_bytes()).await;
            }
            // Another model is on screen meanwhile.
            Ok(_) => {}
            Err(error) => self.refuse(Fault::Named(name, describe(&error))),
        }
    }

    /// Takes a file of roles for the model on screen.
    async fn take_set(self, name: String, bytes: &[u8]) {
        let model = self.state.get_untracked().model;
        let weights = weights_digest(model, self.kept, self.mine).await;
        let Some(spec) = untrack(|| self.spec(model)) else {
            return self.refuse(Fault::NoModel);
        };
        match read_set(bytes, &spec, weights.as_deref()) {
            Ok(set) => {
                self.corpus.fault.try_set(None);
                self.corpus.keep(model, Origin::File(name), set);
            }
            Err(fault) => self.refuse(Fault::Set(name, fault)),
        }
    }

    /// Returns the specification of a model if it is the one that is loaded; subscribes to it.
    fn spec(self, model: Model) -> Option<ModelSpec> {
        self.live.select_now(|engine| match &engine.phase {
            Phase::Ready {
                model: loaded,
                reply,
            } if *loaded == model => Some(reply.spec.clone()),
            _ => None,
        })
    }

    fn refuse(self, fault: Fault) {
        self.corpus.fault.try_set(Some(fault));
    }
}
