//! The table of served models, made of `assets/models/*/model.toml` at build time, and the ways to find a model in it.

use attention_trace::{NormPlacement, positions::PositionalEncoding};

use super::{
    Model,
    card::{Card, Group, Language, Measure, Served, Task, Words},
};
use crate::state::AddressValue;

include!(concat!(env!("OUT_DIR"), "/models.rs"));

/// The served models by name; [`Model`] as text spells those of other origins, too.
impl AddressValue for Model {
    fn values() -> Vec<(Self, &'static str)> {
        let served = SERVED.iter();
        served
            .map(|served| (Model::Served(served), served.address))
            .collect()
    }

    /// Returns the name of a served model; for another, its origin.
    fn address_value(self) -> &'static str {
        match self {
            Model::Served(served) => served.address,
            Model::Trained(_) => "trained",
            Model::Mine(_) => "mine",
        }
    }
}

impl Default for Model {
    /// The first served model, with which the page opens.
    fn default() -> Self {
        Model::Served(&SERVED[0])
    }
}

impl Model {
    /// The served models, in the order of the list.
    pub fn served() -> impl Iterator<Item = Model> + Clone {
        SERVED.iter().map(Model::Served)
    }

    /// Returns the first served model with the facts that `has` asks for; without one, the first of all.
    pub fn first(has: impl Fn(&Card) -> bool) -> Model {
        Model::served()
            .find(|model| has(model.card()))
            .unwrap_or_default()
    }

    /// Returns the first served translator that reads a language.
    pub fn translator_from(language: Language) -> Model {
        Model::first(|card| card.task == Task::Translate && card.reads.contains(&language))
    }

    /// Returns the model of a task with a positional encoding.
    pub fn with_positions(task: Task, positions: PositionalEncoding) -> Model {
        Model::first(|card| card.task == task && card.positions == positions)
    }

    /// Returns the served model of this name in addresses, of today's or of an earlier version.
    pub(super) fn named(name: &str) -> Option<Model> {
        let is_named = |served: &&Served| served.address == name || served.earlier.contains(&name);
        SERVED.iter().find(is_named).map(Model::Served)
    }

    /// Returns the facts that only served models have.
    pub fn as_served(self) -> Option<&'static Served> {
        match self {
            Model::Served(served) => Some(served),
            Model::Trained(_) | Model::Mine(_) => None,
        }
    }

    /// Returns the address of a file that the model shares with its variants; `None` for a model of another origin.
    pub fn shared_file(self, name: &str) -> Option<String> {
        Some(format!("{}{name}", self.as_served()?.folder))
    }

    /// The served models that differ from this one in one respect, and itself, the leading one first; none for a model of
    /// another origin.
    pub fn variants(self) -> Vec<Model> {
        let entry = self.as_served().map(|served| served.entry);
        let variants = SERVED.iter().filter(|served| Some(served.entry) == entry);
        let (leading, others): (Vec<&Served>, Vec<&Served>) =
            variants.partition(|served| served.leads);
        leading
            .into_iter()
            .chain(others)
            .map(Model::Served)
            .collect()
    }
}
