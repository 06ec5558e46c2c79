//! Pages of chapters: each implements a trait in its own folder and has an entry in the registry.

use attention_core::state::{Kind, Parameters, Tab, View};
use leptos::prelude::*;

use crate::{CONTENTS, PAGES, kit::Kit, needs::Needs, topic::Topic};

/// A page's definition, implemented by its parameters.
pub trait Define: Parameters {
    /// The feature that the figures need of a model; in place of the figures, a model without it gets a link to another
    /// one.
    const NEEDS: Needs;
    /// Reading time in minutes, at a hundred words a minute, which leaves time for the figures.
    const MINUTES: u32;
    /// Further types of parameters that its figures read.
    const MORE: &'static [Kind] = &[];

    /// Returns the place in the model that a view of the page is about.
    fn topic(view: &View) -> Topic;

    /// Returns the title in the page's language; subscribes to its change.
    fn title() -> String;

    /// Returns the page's misconceptions and test.
    fn kit() -> &'static Kit;

    /// Returns the view of the page's text and figures.
    fn show() -> AnyView;
}

/// A page's entry in the registry, without its code. The code of all pages is in [`Content`] and is downloaded when a
/// chapter is opened.
#[derive(Debug)]
pub struct Page {
    /// The key in the address (`chapter=`), which also names its texts.
    pub name: &'static str,
    /// The feature that the figures need of a model.
    pub needs: Needs,
    /// Reading time in minutes.
    pub minutes: u32,
    /// Returns the place in the model that a view of the page is about.
    pub topic: fn(&View) -> Topic,
    parameters: Kind,
    more: &'static [Kind],
}

impl Page {
    /// Creates the registry's entry for a definition.
    pub const fn of<D: Define>() -> Self {
        Page {
            name: D::CHAPTER,
            needs: D::NEEDS,
            minutes: D::MINUTES,
            topic: D::topic,
            parameters: Kind::of::<D>(),
            more: D::MORE,
        }
    }

    /// Returns the types of parameters of the page's figures.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = Kind> {
        std::iter::once(self.parameters).chain(self.more.iter().copied())
    }

    /// Returns the title in the page's language; subscribes to its change.
    pub fn title(&self) -> String {
        (self.content().title)()
    }

    /// Returns the page's misconceptions and test.
    pub fn kit(&self) -> &'static Kit {
        (self.content().kit)()
    }

    /// Returns the view of the page's text and figures.
    pub fn show(&self) -> AnyView {
        (self.content().show)()
    }

    fn content(&self) -> &'static Content {
        &CONTENTS[self.place().unwrap_or_default()]
    }

    /// Returns the place in the course, from 0.
    fn place(&self) -> Option<usize> {
        PAGES.iter().position(|page| page == self)
    }

    /// Returns the page that is open in a view; the first one if the name is unknown.
    pub fn open_in(view: &View) -> &'static Self {
        Self::named(&view.chapters.open).unwrap_or(&PAGES[0])
    }

    /// Returns the page of a name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        PAGES.iter().find(|page| page.name == name)
    }

    pub fn open(&self, view: &mut View) {
        view.tab = Tab::Learn;
        view.chapters.open(self.name);
    }

    /// Returns the page `by` places further on, if there is one.
    pub fn neighbour(&self, by: isize) -> Option<&'static Self> {
        PAGES.get(self.place()?.checked_add_signed(by)?)
    }
}

/// The code of a page, downloaded separately from the registry.
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
        Tab::Learn => (Page::open_in(view).topic)(view),
        Tab::Teach => Topic::Whole,
    }
}

impl PartialEq for Page {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}
