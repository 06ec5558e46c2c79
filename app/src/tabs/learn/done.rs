//! The chapters that were read, as stored by this browser.

use attention_chapters::Chapter;
use attention_core::remembered::{done, keep_done};
use leptos::prelude::*;

/// The names of the chapters that were read.
#[derive(Clone, Copy)]
pub struct Done(RwSignal<Vec<String>>);

impl Done {
    /// Reads the browser's storage.
    pub fn read() -> Self {
        Done(RwSignal::new(done()))
    }

    /// Returns true if a chapter was read; subscribes to the change.
    pub fn is_done(self, chapter: &Chapter) -> bool {
        self.0.read().iter().any(|name| name == chapter.name)
    }

    /// Marks a chapter as read or unread.
    pub fn set(self, chapter: &Chapter, is_done: bool) {
        self.0.set(keep_done(chapter.name, is_done));
    }
}
