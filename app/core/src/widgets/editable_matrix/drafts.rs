//! Texts typed into cells that are not, or not yet, valid numbers.

use std::collections::BTreeMap;

use leptos::prelude::*;

use super::number::EntryError;

/// A cell: its matrix, row and column.
pub type Place = (&'static str, usize, usize);

#[derive(Clone, Debug, PartialEq)]
struct Draft {
    text: String,
    error: Option<EntryError>,
}

/// The texts that stand in cells in the place of their numbers, of several matrices together.
#[derive(Clone, Copy, Default)]
pub struct Drafts(RwSignal<BTreeMap<Place, Draft>>);

impl Drafts {
    /// Returns true if any text is not a valid number.
    pub fn has_errors(self) -> bool {
        self.0
            .with(|drafts| drafts.values().any(|draft| draft.error.is_some()))
    }

    /// Drops them all: cells show their numbers again.
    pub fn clear(self) {
        self.0.update(BTreeMap::clear);
    }

    pub(super) fn put(self, place: Place, text: String, error: Option<EntryError>) {
        self.0.update(|drafts| {
            drafts.insert(place, Draft { text, error });
        });
    }

    /// Drops the text of one cell.
    pub(super) fn discard(self, place: Place) {
        if self.0.with_untracked(|drafts| drafts.contains_key(&place)) {
            self.0.update(|drafts| {
                drafts.remove(&place);
            });
        }
    }

    /// Drops one that is a number: the cell shows it as it is written.
    pub(super) fn settle(self, place: Place) {
        if self.error_untracked(place).is_none() {
            self.discard(place);
        }
    }

    fn error_untracked(self, place: Place) -> Option<EntryError> {
        self.0.with_untracked(|drafts| drafts.get(&place)?.error)
    }

    pub(super) fn text(self, place: Place) -> Option<String> {
        self.0.with(|drafts| Some(drafts.get(&place)?.text.clone()))
    }

    pub(super) fn is_wrong(self, place: Place) -> bool {
        self.0.with(|drafts| {
            drafts
                .get(&place)
                .is_some_and(|draft| draft.error.is_some())
        })
    }

    /// The first cell of a matrix whose text is no number, with the text and what is wrong with it.
    pub(super) fn first_error(self, matrix: &str) -> Option<(Place, String, EntryError)> {
        self.0.with(|drafts| {
            let mut drafts = drafts.iter().filter(|((of, ..), _)| *of == matrix);
            drafts.find_map(|(&place, draft)| Some((place, draft.text.clone(), draft.error?)))
        })
    }
}
