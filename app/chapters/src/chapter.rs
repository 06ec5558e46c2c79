//! Chapters, in four parts. A chapter has one page, or several that belong together.

use attention_core::i18n::{t_string, use_i18n};

use crate::{CHAPTERS, page::Page};

/// A chapter of the course.
#[derive(Debug)]
pub struct Chapter {
    /// The part of the course.
    pub part: Part,
    /// The names of its pages, in reading order.
    pages: &'static [&'static str],
}

impl Chapter {
    /// Creates a chapter of the pages with these names.
    pub(crate) const fn new(part: Part, pages: &'static [&'static str]) -> Self {
        Chapter { part, pages }
    }

    /// Returns the chapter that a page is of.
    pub fn of(page: &Page) -> &'static Self {
        let found = CHAPTERS
            .iter()
            .find(|chapter| chapter.pages.contains(&page.name));
        found.unwrap_or(&CHAPTERS[0])
    }

    /// Returns the chapter's pages, in reading order.
    pub fn pages(&self) -> impl Iterator<Item = &'static Page> + use<> {
        self.pages.iter().filter_map(|name| Page::named(name))
    }

    /// True if the chapter has more than one page.
    pub fn has_pages(&self) -> bool {
        self.pages.len() > 1
    }

    /// Returns the reading time of all pages in minutes.
    pub fn minutes(&self) -> u32 {
        self.pages().map(|page| page.minutes).sum()
    }

    /// Returns the title in the page's language, that of the page where there is one; subscribes to its change.
    pub fn title(&self) -> String {
        let i18n = use_i18n();
        match self.pages {
            ["order", ..] => t_string!(i18n, chapters.order_and_positions),
            ["search", ..] => t_string!(i18n, chapters.writing),
            ["forcing", ..] => t_string!(i18n, chapters.training),
            ["recurrent", ..] => t_string!(i18n, chapters.one_vector),
            ["layers", ..] => t_string!(i18n, chapters.layer_types),
            ["roles", ..] => t_string!(i18n, chapters.heads_do),
            ["sizes", ..] => t_string!(i18n, chapters.sizes_and_kinds),
            ["memory", ..] => t_string!(i18n, chapters.memory),
            ["explanation", ..] => t_string!(i18n, chapters.matters),
            _ => return self.pages().map(Page::title).collect(),
        }
        .to_owned()
    }

    /// Returns the chapter's position in its part, from 1, and the part's number of chapters.
    pub fn place(&self) -> (usize, usize) {
        let before = self.part.chapters().take_while(|chapter| *chapter != self);
        (before.count() + 1, self.part.chapters().count())
    }
}

impl PartialEq for Chapter {
    fn eq(&self, other: &Self) -> bool {
        self.pages == other.pages
    }
}

/// A group of chapters; the parts are listed in reading order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The Transformer from tokens to a trained model.
    Steps,
    /// The layers before attention, and attention's first uses.
    Origins,
    /// Measurements and interventions that test a claim about a head.
    Claims,
    /// Large models and other inputs.
    Today,
}

impl Part {
    /// All parts, in reading order.
    pub const ALL: [Self; 4] = [Self::Steps, Self::Origins, Self::Claims, Self::Today];

    /// Returns the title in the page's language; subscribes to its change.
    pub fn title(self) -> String {
        let i18n = use_i18n();
        match self {
            Self::Steps => t_string!(i18n, chapters.part_steps),
            Self::Origins => t_string!(i18n, chapters.part_origins),
            Self::Claims => t_string!(i18n, chapters.part_claims),
            Self::Today => t_string!(i18n, chapters.part_today),
        }
        .to_owned()
    }

    /// Returns the part's chapters, in reading order.
    pub fn chapters(self) -> impl Iterator<Item = &'static Chapter> {
        CHAPTERS.iter().filter(move |chapter| chapter.part == self)
    }
}
