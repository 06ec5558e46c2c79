//! One matrix on screen: its selected cell, and keys that move it.

use leptos::{ev::KeyboardEvent, prelude::*};

use super::{data::Matrix, window::Sight};
use crate::widgets::inspector::{InspectedCell, Inspector};

/// One matrix on screen.
#[derive(Clone, Copy)]
pub(super) struct Figure {
    pub(super) id: &'static str,
    pub(super) matrix: Memo<Option<Matrix>>,
    pub(super) sight: Sight,
    pub(super) inspector: Inspector,
    pub(super) describe: Callback<(usize, usize), AnyView>,
}

impl Figure {
    pub(super) fn inspect(self, (row, column): (usize, usize)) {
        let matrix = self.id;
        self.inspector.inspect(
            InspectedCell {
                matrix,
                row,
                column,
            },
            self.describe,
        );
    }

    /// Moves the selected cell, and the window with it.
    pub(super) fn step(self, rows: isize, columns: isize) {
        let from = untrack(|| self.inspector.of(self.id));
        let to = self
            .matrix
            .with_untracked(|matrix| Some(matrix.as_ref()?.moved(from, rows, columns)));
        if let Some((row, column)) = to {
            self.sight.reveal(row, column);
            self.inspect((row, column));
        }
    }

    pub(super) fn on_key(self, event: &KeyboardEvent) {
        match event.key().as_str() {
            "ArrowUp" => self.step(-1, 0),
            "ArrowDown" => self.step(1, 0),
            "ArrowLeft" => self.step(0, -1),
            "ArrowRight" => self.step(0, 1),
            "Escape" => self.inspector.clear(),
            _ => return,
        }
        event.prevent_default();
    }
}
