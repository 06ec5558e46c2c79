//! Drawing: the cells under a stroke, and the history for undo.

use attention_trace::lessons::Picture;

/// The most pictures in the history; the oldest is dropped first.
const KEPT: usize = 50;

/// The drawing on screen before each stroke; `None` stands for the test picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History(Vec<Option<Picture>>);

impl History {
    /// Saves the drawing before a stroke, unless it equals the last one saved.
    pub fn keep(&mut self, before: Option<Picture>) {
        if self.0.last() == Some(&before) {
            return;
        }
        self.0.push(before);
        if self.0.len() > KEPT {
            self.0.remove(0);
        }
    }

    /// Removes and returns the drawing before the last stroke; `None` if there is no stroke to undo.
    pub fn back(&mut self) -> Option<Option<Picture>> {
        self.0.pop()
    }

    /// True if there is no stroke to undo.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Returns the cell under a point, given as fractions of the picture's width and height; for a point outside, the
/// nearest cell.
pub fn cell_at(x: f64, y: f64) -> usize {
    let index = |fraction: f64| {
        let index = (fraction * Picture::SIDE as f64).max(0.0) as usize;
        index.min(Picture::SIDE - 1)
    };
    index(y) * Picture::SIDE + index(x)
}

/// Returns the cell `right` columns and `down` rows further, clamped to the picture.
pub fn moved(cell: usize, right: isize, down: isize) -> usize {
    let along = |index: usize, by: isize| index.saturating_add_signed(by).min(Picture::SIDE - 1);
    let (row, column) = (cell / Picture::SIDE, cell % Picture::SIDE);
    along(row, down) * Picture::SIDE + along(column, right)
}

/// Returns the cells on the straight line between two cells, both included, since a fast pointer skips cells.
pub fn between(from: usize, to: usize) -> Vec<usize> {
    let place = |cell: usize| ((cell % Picture::SIDE) as f64, (cell / Picture::SIDE) as f64);
    let ((x0, y0), (x1, y1)) = (place(from), place(to));
    let steps = (x1 - x0).abs().max((y1 - y0).abs());
    let at = |step: usize| {
        let part = step as f64 / steps.max(1.0);
        let (x, y) = (x0 + part * (x1 - x0), y0 + part * (y1 - y0));
        y.round() as usize * Picture::SIDE + x.round() as usize
    };
    (0..=steps as usize).map(at).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn strokes_are_taken_back_one_by_one() {
        let mut history = History::default();
        history.keep(None);
        history.keep(None);
        history.keep(Some(Picture::blank()));
        assert_eq!(history.back(), Some(Some(Picture::blank())));
        assert_eq!(history.back(), Some(None));
        assert_eq!(history.back(), None);
        assert!(history.is_empty());
    }

    #[test]
    fn only_so_many_are_kept() {
        let mut history = History::default();
        for cell in 0..60 {
            let mut picture = Picture::blank();
            picture.set(cell, 1);
            history.keep(Some(picture));
        }
        let mut count = 0;
        while history.back().is_some() {
            count += 1;
        }
        assert_eq!(count, KEPT);
    }

    #[test]
    fn a_line_of_cells() {
        assert_eq!(between(0, 3), [0, 1, 2, 3]);
        assert_eq!(between(0, 18), [0, 9, 18]);
        assert_eq!(between(5, 5), [5]);
    }

    #[test]
    fn keys_stop_at_the_edges() {
        assert_eq!(moved(0, -1, -1), 0);
        assert_eq!(moved(63, 1, 1), 63);
        assert_eq!(moved(9, 1, -1), 2);
    }

    proptest! {
        #[test]
        fn every_point_has_a_cell(x in -1.0f64..2.0, y in -1.0f64..2.0) {
            prop_assert!(cell_at(x, y) < Picture::CELLS);
        }

        #[test]
        fn a_line_has_its_ends_and_no_gaps(from in 0usize..64, to in 0usize..64) {
            let cells = between(from, to);
            prop_assert_eq!((cells[0], cells[cells.len() - 1]), (from, to));
            for pair in cells.windows(2) {
                let apart = |a: usize, b: usize| a.abs_diff(b) <= 1;
                prop_assert!(apart(pair[0] % 8, pair[1] % 8) && apart(pair[0] / 8, pair[1] / 8));
            }
        }
    }
}
