//! A chapter: defined by a trait in its own folder, listed by the registry.

use attention_core::{
    i18n::{t_string, use_i18n},
    state::{Kind, Parameters, Tab, View},
};
use leptos::prelude::*;

use crate::{CHAPTERS, CONTENTS, kit::Kit, needs::Needs, topic::Topic};

/// A chapter's definition, implemented by its parameters.
pub trait Define: Parameters {
    /// The part of the course.
    const PART: Part;
    /// Requirement on the model; a model that lacks it is offered another one instead of the figures.
    const NEEDS: Needs;
    /// Reading time in minutes, at a hundred words a minute, which leaves time for the figures.
    const MINUTES: u32;
    /// Further parameters of its figures.
    const MORE: &'static [Kind] = &[];

    /// The place in the model that a view of the chapter is about.
    fn topic(view: &View) -> Topic;

    /// The title in the page's language; subscribes to its change.
    fn title() -> String;

    /// Misconceptions and the test.
    fn kit() -> &'static Kit;

    /// The chapter's text and figures.
    fn show() -> AnyView;
}

/// A chapter in the registry, without its code: that of all chapters is downloaded when one is opened, and is in
/// [`Content`].
#[derive(Debug)]
pub struct Chapter {
    /// The key in the address, which also names its texts.
    pub name: &'static str,
    /// The part of the course.
    pub part: Part,
    /// Requirement on the model.
    pub needs: Needs,
    /// Reading time in minutes.
    pub minutes: u32,
    /// The place in the model that a view of the chapter is about.
    pub topic: fn(&View) -> Topic,
    parameters: Kind,
    more: &'static [Kind],
}

impl Chapter {
    /// The registry's entry of a definition.
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

    /// Parameters of the chapter's figures, by type.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = Kind> {
        std::iter::once(self.parameters).chain(self.more.iter().copied())
    }

    /// The title in the page's language; subscribes to its change.
    pub fn title(&self) -> String {
        (self.content().title)()
    }

    /// Misconceptions and the test.
    pub fn kit(&self) -> &'static Kit {
        (self.content().kit)()
    }

    /// The chapter's text and figures.
    pub fn show(&self) -> AnyView {
        (self.content().show)()
    }

    fn content(&self) -> &'static Content {
        let at = CHAPTERS.iter().position(|chapter| chapter == self);
        &CONTENTS[at.unwrap_or_default()]
    }

    /// The chapter that a view has open.
    pub fn open_in(view: &View) -> &'static Self {
        let name = view.chapters.open.as_str();
        let found = CHAPTERS.iter().find(|chapter| chapter.name == name);
        found.unwrap_or(&CHAPTERS[0])
    }

    /// Opens it in a view.
    pub fn open(&self, view: &mut View) {
        view.tab = Tab::Learn;
        view.chapters.open(self.name);
    }

    /// Its place in its part, from 1, and how many chapters that has.
    pub fn place(&self) -> (usize, usize) {
        let before = self.part.chapters().take_while(|chapter| *chapter != self);
        (before.count() + 1, self.part.chapters().count())
    }

    /// The chapter `by` places further on, if there is one.
    pub fn neighbour(&self, by: isize) -> Option<&'static Self> {
        let place = CHAPTERS.iter().position(|chapter| chapter == self)?;
        CHAPTERS.get(place.checked_add_signed(by)?)
    }
}

/// The code of a chapter.
pub struct Content {
    title: fn() -> String,
    kit: fn() -> &'static Kit,
    show: fn() -> AnyView,
}

impl Content {
    /// The code of a definition.
    pub const fn of<D: Define>() -> Self {
        Content {
            title: D::title,
            kit: D::kit,
            show: D::show,
        }
    }
}

/// The place in the model that a view is about.
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

/// A group of chapters; the parts stand in the order in which they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// For those who know what a vector is and no more.
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
    /// All of them, in the order in which they are read.
    pub const ALL: [Self; 5] = [
        Self::Start,
        Self::Steps,
        Self::Writing,
        Self::Beside,
        Self::Claims,
    ];

    /// The title in the page's language; subscribes to its change.
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

    /// Its chapters, in the order in which they are read.
    pub fn chapters(self) -> impl Iterator<Item = &'static Chapter> {
        CHAPTERS.iter().filter(move |chapter| chapter.part == self)
    }
}
