//! Roles of heads on sentences that the visitor gives, measured by the engine's worker in turns or read from a file that
//! `attn roles` wrote.

mod follow;
mod given;
mod measurement;
mod opened;
mod panel;
mod reader;
mod text;

use std::sync::Arc;

use attention_trace::roles::RoleSet;
use leptos::prelude::*;

use self::{
    measurement::Measurement,
    reader::{Fault, Reader},
    text::{GivenText, Origin},
};
pub use self::{
    opened::{has_heads, weights_digest},
    panel::CorpusPanel,
};
use super::published::Published;
use crate::state::Model;

/// Sentences that were written for this page, one a line.
pub const OUR_SENTENCES: &str = include_str!("sentences.txt");

/// The number of models whose roles are kept.
const MOST_MODELS: usize = 4;

/// The roles of a model's heads on the visitor's sentences.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundRoles {
    /// The model whose heads were measured.
    pub model: Model,
    /// The roles on these sentences.
    pub set: Published,
    origin: Origin,
}

/// The visitor's sentences and the roles of heads on them, kept as long as the page is open. A context: take it with
/// [`RoleCorpus::expect`].
#[derive(Clone, Copy)]
pub struct RoleCorpus {
    given: RwSignal<Option<Arc<GivenText>>>,
    measurement: RwSignal<Option<Measurement>>,
    found: RwSignal<Vec<FoundRoles>>,
    /// The reason why what was given last is not taken.
    fault: RwSignal<Option<Fault>>,
    /// The owner of what follows the worker's answers: a measurement goes on while its panel is not on screen.
    owner: StoredValue<Owner>,
    is_followed: StoredValue<bool>,
}

impl RoleCorpus {
    /// Provides the context, without sentences, and opens the file of roles that the address names.
    pub fn provide() {
        provide_context(RoleCorpus {
            given: RwSignal::new(None),
            measurement: RwSignal::new(None),
            found: RwSignal::new(Vec::new()),
            fault: RwSignal::new(None),
            owner: StoredValue::new(Owner::current().unwrap_or_default()),
            is_followed: StoredValue::new(false),
        });
        Reader::new().follow_address();
    }

    /// Returns the context that a component above provided.
    ///
    /// # Panics
    /// Outside the page's component tree.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Returns the roles of a model's heads, if they were measured or opened; subscribes to them.
    pub fn found(self, model: Model) -> Option<FoundRoles> {
        let found = self.found.read();
        found.iter().find(|found| found.model == model).cloned()
    }

    /// Keeps the roles of a model in place of those before.
    fn keep(self, model: Model, origin: Origin, set: RoleSet) {
        self.found.update(|found| {
            found.retain(|other| other.model != model);
            found.push(FoundRoles {
                model,
                set: Published(Arc::new(set)),
                origin,
            });
            let extra = found.len().saturating_sub(MOST_MODELS);
            found.drain(..extra);
        });
    }
}
