//! Synchronisation of the decoding step and the locked cell, if the cell's query is a token that the model writes: the
//! details of both are shown side by side.

use attention_trace::{Decoding, Stack};
use leptos::prelude::*;

use super::Steps;
use crate::{
    selection::Selection,
    state::{Cell, ViewState},
};

/// Keeps step and cell together: a new step releases a cell in another row, and a cell, locked by a click or set by an
/// address, moves the step to its row.
pub fn keep_together(steps: Steps, state: ViewState) {
    let selection = Selection::of_page();
    let wanted = state.select(|view| view.step);
    let places = Memo::new(move |_| {
        let trace = steps.trace()?;
        let selection = selection.get();
        let kind = selection.head(&trace.meta).attention.kind;
        let (queries, keys) = trace.meta.axes(kind);
        let cell = selection.cell(queries.len(), keys.len());
        let cell = cell.filter(|_| kind.stack() == Stack::Decoder);
        Some(Places {
            wanted: wanted.get(),
            row: steps.with_step(|step| step.row),
            cell,
            of_cell: trace
                .decoding
                .as_ref()
                .and_then(|decoding| step_at(decoding, cell?.query)),
        })
    });
    // An effect because the view is told, which the places follow in turn.
    Effect::new(move |before: Option<Option<Places>>| {
        let places = places.get();
        match places.and_then(|places| places.correction(before.flatten())) {
            Some(Correction::Release) => state.set_cell(None),
            Some(Correction::GoTo(step)) => take_along(steps, state, step),
            None => {}
        }
        places
    });
}

/// Goes to a cell's step, and keeps the rows that are read together. Other changes of the step clear them. A click on a
/// cell has already cleared them, so those that are left came from an address, with the cell.
fn take_along(steps: Steps, state: ViewState, step: usize) {
    let rows = state.get_untracked().rows;
    steps.player().go_to(step);
    state.update(|view| view.rows = rows);
}

/// Returns the step that reads up to a row.
fn step_at(decoding: &Decoding, row: usize) -> Option<usize> {
    decoding.steps.iter().position(|step| step.row == row)
}

/// The positions of the step and the cell.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Places {
    /// The step that the view asks for.
    wanted: usize,
    /// The row of the step on screen.
    row: Option<usize>,
    /// The locked cell, if its row is one of what the model writes.
    cell: Option<Cell>,
    /// The step of the cell's row; `None` for the rows of a prompt.
    of_cell: Option<usize>,
}

/// The correction that brings step and cell together.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Correction {
    Release,
    GoTo(usize),
}

impl Places {
    fn correction(self, before: Option<Places>) -> Option<Correction> {
        let (row, cell) = (self.row?, self.cell?);
        if row == cell.query {
            return None;
        }
        let step_moved =
            before.is_some_and(|before| before.wanted != self.wanted && before.cell == self.cell);
        match step_moved {
            true => Some(Correction::Release),
            false => self.of_cell.map(Correction::GoTo),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(wanted: usize, query: usize) -> Places {
        Places {
            wanted,
            row: Some(wanted),
            cell: Some(Cell { query, key: 0 }),
            of_cell: Some(query),
        }
    }

    #[test]
    fn a_cell_out_of_an_address_takes_the_step_along() {
        assert_eq!(places(0, 3).correction(None), Some(Correction::GoTo(3)));
        assert_eq!(places(3, 3).correction(None), None);
    }

    #[test]
    fn another_cell_takes_the_step_along() {
        let before = places(2, 2);
        assert_eq!(
            places(2, 4).correction(Some(before)),
            Some(Correction::GoTo(4))
        );
    }

    #[test]
    fn a_step_lets_go_of_a_cell_in_another_row() {
        let before = places(2, 2);
        assert_eq!(
            places(3, 2).correction(Some(before)),
            Some(Correction::Release)
        );
    }

    #[test]
    fn rows_of_a_prompt_have_no_step_to_go_to() {
        let prompt = Places {
            of_cell: None,
            ..places(2, 0)
        };
        assert_eq!(prompt.correction(None), None);
        assert_eq!(
            Places {
                row: None,
                ..prompt
            }
            .correction(Some(places(1, 0))),
            None
        );
    }
}
