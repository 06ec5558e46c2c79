//! Chapters: each implements a trait in its own folder and has an entry in the registry.

use attention_core::{
    i18n::{t_string, use_i18n},
    state::{Kind, Parameters, Tab, View},
};
use leptos::prelude::*;

use crate::{CHAPTERS, CONTENTS, kit::Kit, needs::Needs, topic::Topic};

/// A chapter's definition, implemented by its parameters.
pub trait Define: Parameters {
    /// The part of the course that lists the chapter.
    const PART: Part;
    /// The feature that the figures need of a model; in place of the figures, a model without it gets a link to another
    /// one.
    const NEEDS: Needs;
    /// Reading time in minutes, at a hundred words a minute, which leaves time for the figures.
    const MINUTES: u32;
    /// Further types of parameters that its figures read.
    const MORE: &'static [Kind] = &[];

    /// Returns the place in the model that a view of the chapter is about.
    fn topic(view: &View) -> Topic;

    /// Returns the title in the page's language; subscribes to its change.
    fn title() -> String;

    /// Returns the chapter's misconceptions and test.
    fn kit() -> &'static Kit;

    /// Returns the view of the chapter's text and figures.
    fn show() -> AnyView;
}

/// A chapter's entry in the registry, without its code. The code of all chapters is in [`Content`] and is downloaded
/// when a chapter is opened.
#[derive(Debug)]
pub struct Chapter {
    /// The key in the address, which also names its texts.
    pub name: &'static str,
    /// The part of the course that lists the chapter.
    pub part: Part,
    /// The feature that the figures need of a model.
    pub needs: Needs,
    /// Reading time in minutes.
    pub minutes: u32,
    /// Returns the place in the model that a view of the chapter is about.
    pub topic: fn(&View) -> Topic,
    parameters: Kind,
    more: &'static [Kind],
}

impl Chapter {
    /// Creates the registry's entry for a definition.
    pub const fn of<D: Define>() -> Self {
        Chapter {
            name: D::CHAPTER,
            part: D::PART,
            needs: D::NEEDS,
            minutes: D::MINUTES,
            topic: D::topic,
            parameters: Kind::of::<D>(),
            more: D::MORE,
        }
    }

    /// Returns the types of parameters of the chapter's figures.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = Kind> {
        std::iter::once(self.parameters).chain(self.more.iter().copied())
    }

    /// Returns the title in the page's language; subscribes to its change.
    pub fn title(&self) -> String {
        (self.content().title)()
    }

    /// Returns the chapter's misconceptions and test.
    pub fn kit(&self) -> &'static Kit {
        (self.content().kit)()
    }

    /// Returns the view of the chapter's text and figures.
    pub fn show(&self) -> AnyView {
        (self.content().show)()
    }

    fn content(&self) -> &'static Content {
        let at = CHAPTERS.iter().position(|chapter| chapter == self);
        &CONTENTS[at.unwrap_or_default()]
    }

    /// Returns the chapter that is open in a view; the first one if the name is unknown.
    pub fn open_in(view: &View) -> &'static Self {
        let name = view.chapters.open.as_str();
        let found = CHAPTERS.iter().find(|chapter| chapter.name == name);
        found.unwrap_or(&CHAPTERS[0])
    }

    pub fn open(&self, view: &mut View) {
        view.tab = Tab::Learn;
        view.chapters.open(self.name);
    }

    /// Returns the chapter's position in its part, from 1, and the part's number of chapters.
    pub fn place(&self) -> (usize, usize) {
        let before = self.part.chapters().take_while(|chapter| *chapter != self);
        (before.count() + 1, self.part.chapters().count())
    }

    /// Returns the chapter `by` places further on, if there is one.
    pub fn neighbour(&self, by: isize) -> Option<&'static Self> {
        let place = CHAPTERS.iter().position(|chapter| chapter == self)?;
        CHAPTERS.get(place.checked_add_signed(by)?)
    }
}

/// The code of a chapter, downloaded separately from the registry.
pub struct Content {
    title: fn() -> String,
    kit: fn() -> &'static Kit,
    show: fn() -> AnyView,
}

impl Content {
    /// Creates the content of a definition.
    pub const fn of<D: Define>() -> Self {
        Content {
            title: D::title,
            kit: D::kit,
            show: D::show,
        }
    }
}

/// Returns the place in the model that a view is about.
pub fn topic_of(view: &View) -> Topic {
    match view.tab {
        Tab::Explore => Topic::Head,
        Tab::Learn => (Chapter::open_in(view).topic)(view),
        Tab::Teach => Topic::Whole,
    }
}

impl PartialEq for Chapter {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// A group of chapters; the parts are listed in reading order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// An introduction for readers who only know vectors.
    Start,
    /// The computation of one layer, from tokens to the residual stream.
    Steps,
    /// Decoding, evaluation and training.
    Writing,
    /// Models before the Transformer, and other uses of attention.
    Beside,
    /// Measurements and interventions that test a claim about a head.
    Claims,
}

impl Part {
    /// All parts, in reading order.
    pub const ALL: [Self; 5] = [
        Self::Start,
        Self::Steps,
        Self::Writing,
        Self::Beside,
        Self::Claims,
    ];

    /// Returns the title in the page's language; subscribes to its change.
    pub fn title(self) -> String {
        let i18n = use_i18n();
        match self {
            Self::Start => t_string!(i18n, chapters.part_start),
            Self::Steps => t_string!(i18n, chapters.part_steps),
            Self::Writing => t_string!(i18n, chapters.part_writing),
            Self::Beside => t_string!(i18n, chapters.part_beside),
            Self::Claims => t_string!(i18n, chapters.part_claims),
        }
        .to_owned()
    }

    /// Returns the part's chapters, in reading order.
    pub fn chapters(self) -> impl Iterator<Item = &'static Chapter> {
        CHAPTERS.iter().filter(move |chapter| chapter.part == self)
    }
}
