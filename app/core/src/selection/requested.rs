//! The head and the tokens that the address asks for, and the nearest ones that a trace has.

use attention_trace::{AttentionKind, TraceMeta};
use leptos::prelude::*;

use super::HeadChoice;
use crate::state::{Cell, HeadPlace, View, ViewState};

/// The head and the selected cell in the address. Every tab and chapter resolves them here, so that all of them show
/// the same head and the same token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    kind: AttentionKind,
    /// The chosen head, if there is one.
    chosen: Option<HeadPlace>,
    cell: Option<Cell>,
}

impl Selection {
    /// Returns the selection in the page's view.
    pub fn of_page() -> Memo<Self> {
        ViewState::expect().select(Self::of)
    }

    pub fn of(view: &View) -> Self {
        Selection {
            kind: view.kind(),
            chosen: view.kind.map(|_| view.place()),
            cell: view.cell,
        }
    }

    /// Returns the same layer, head and cell of another kind of attention; its first head if none was chosen.
    pub fn with_kind(self, kind: AttentionKind) -> Self {
        Selection { kind, ..self }
    }

    /// Returns the head, or the nearest one that the model has.
    pub fn head(self, meta: &TraceMeta) -> HeadChoice {
        let HeadPlace { layer, head } = self.chosen.unwrap_or(HeadPlace::first(self.kind));
        HeadChoice::resolve(meta, self.kind, layer, head)
    }

    /// Returns the cell, if a map with that many queries and keys has it: an address may name one that this sentence
    /// lacks.
    pub fn cell(self, queries: usize, keys: usize) -> Option<Cell> {
        self.cell
            .filter(|cell| cell.query < queries && cell.key < keys)
    }

    /// Returns the query among `count`, the last if the cell's lies beyond them; `default` without a chosen cell.
    pub fn query(self, count: usize, default: usize) -> usize {
        let query = self.cell.map_or(default, |cell| cell.query);
        query.min(count.saturating_sub(1))
    }

    /// Returns the key among `count`, as [`query`](Self::query) does.
    pub fn key(self, count: usize, default: usize) -> usize {
        let key = self.cell.map_or(default, |cell| cell.key);
        key.min(count.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selection(cell: Option<(usize, usize)>) -> Selection {
        Selection::of(&View {
            cell: cell.map(|(query, key)| Cell { query, key }),
            ..View::default()
        })
    }

    #[test]
    fn a_cell_outside_the_map_is_none() {
        let chosen = selection(Some((2, 4)));
        assert_eq!(chosen.cell(3, 5), Some(Cell { query: 2, key: 4 }));
        assert_eq!(chosen.cell(2, 5), None);
        assert_eq!(chosen.cell(3, 4), None);
        assert_eq!(selection(None).cell(3, 5), None);
    }

    #[test]
    fn a_token_beyond_the_sentence_is_the_last() {
        let chosen = selection(Some((9, 1)));
        assert_eq!((chosen.query(4, 2), chosen.key(4, 2)), (3, 1));
        assert_eq!((chosen.query(0, 2), chosen.key(1, 0)), (0, 0));
        assert_eq!(
            (selection(None).query(4, 2), selection(None).key(2, 7)),
            (2, 1)
        );
    }
}
