//! The models that the page can show.

mod card;
mod served;

use std::{fmt, str::FromStr};

pub use self::card::{Card, Group, Language, Measure, Served, Task, Words};
use super::{
    mine::MineId,
    sentences::{sentences, spaced, verses},
    trained::{NotAnId, TrainedId},
};

/// The prefix of the name of a model that was trained on this page.
const TRAINED: &str = "trained-";
/// The name of a model from the visitor's disk, without an id.
const MINE: &str = "mine";
/// The prefix of the name of a model from the visitor's disk.
const OF_MINE: &str = "mine-";

/// A model, by its origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Served with the page.
    Served(&'static Served),
    /// Trained on this page, and kept at most in this browser.
    Trained(TrainedId),
    /// Read from the visitor's disk; `None` if an address names none in particular.
    Mine(Option<MineId>),
}

impl Model {
    /// Returns its facts; a model of another origin than the page has those of any model.
    pub fn card(self) -> &'static Card {
        match self {
            Model::Served(served) => &served.card,
            Model::Trained(_) => &served::TRAINED,
            Model::Mine(_) => &served::MINE,
        }
    }

    /// Returns its directory, relative to the page; `None` for a model that was trained here or is read from disk,
    /// which is on no server.
    pub fn directory(self) -> Option<&'static str> {
        Some(self.as_served()?.directory)
    }

    /// True if the visitor may choose the search for target tokens.
    pub fn searches(self) -> bool {
        !matches!(self.card().task, Task::Letters | Task::Verse)
    }

    /// Splits a text into the units that the model reads one at a time: sentences for a translator, lines for the
    /// models of verse, the whole text for any other model.
    pub fn sentences(self, text: &str) -> Vec<String> {
        match self.card().task {
            Task::Translate => sentences(text),
            Task::Verse => verses(text),
            Task::Continue | Task::Fill | Task::Letters | Task::Picture | Task::Unknown => {
                vec![spaced(text)]
            }
        }
    }

    /// True if it translates from a language; a model that does not translate accepts any.
    pub fn reads(self, language: Language) -> bool {
        self.card().task != Task::Translate || self.card().reads.contains(&language)
    }

    /// True if texts for one of the two models are in a language of the other.
    pub fn shares_language(self, other: Model) -> bool {
        let others = other.card().reads;
        let mut languages = self.card().reads.iter();
        languages.any(|language| others.contains(language))
    }

    /// Returns the text that is in the input at first.
    pub fn first_text(self) -> &'static str {
        self.card().examples.first().copied().unwrap_or_default()
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Model::Served(served) => f.write_str(served.address),
            Model::Trained(id) => write!(f, "{TRAINED}{id}"),
            Model::Mine(Some(id)) => write!(f, "{OF_MINE}{id}"),
            Model::Mine(None) => f.write_str(MINE),
        }
    }
}

impl FromStr for Model {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        if let Some(id) = text.strip_prefix(TRAINED) {
            return id.parse::<TrainedId>().map(Model::Trained);
        }
        if text == MINE {
            return Ok(Model::Mine(None));
        }
        match text.strip_prefix(OF_MINE) {
            Some(id) => id
                .parse::<MineId>()
                .map(|id| Model::Mine(Some(id)))
                .map_err(|_| NotAnId),
            None => Model::named(text).ok_or(NotAnId),
        }
    }
}

#[cfg(test)]
mod tests;
