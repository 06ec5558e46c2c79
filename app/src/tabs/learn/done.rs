//! The pages that were read, as stored by this browser.

use attention_chapters::{Chapter, Page};
use attention_core::remembered::{done, keep_done};
use leptos::prelude::*;

/// The names of the pages that were read.
#[derive(Clone, Copy)]
pub struct Done(RwSignal<Vec<String>>);

impl Done {
    /// Reads the browser's storage.
    pub fn read() -> Self {
        Done(RwSignal::new(done()))
    }

    /// Returns true if a page was read; subscribes to the change.
    pub fn is_done(self, page: &Page) -> bool {
        self.0.read().iter().any(|name| name == page.name)
    }

    /// Returns true if all pages of a chapter were read; subscribes to the change.
    pub fn is_chapter_done(self, chapter: &Chapter) -> bool {
        chapter.pages().all(|page| self.is_done(page))
    }

    /// Marks a page as read or unread.
    pub fn set(self, page: &Page, is_done: bool) {
        self.0.set(keep_done(page.name, is_done));
    }
}
