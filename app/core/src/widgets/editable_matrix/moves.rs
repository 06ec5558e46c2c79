//! From cell to cell by keyboard.

use attention_protocol::OrLogged;
use web_sys::HtmlInputElement;

/// The position of the caret in a cell's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caret {
    /// True if the caret is at the start of the text, or all is selected.
    pub at_start: bool,
    /// True if the caret is at the end of the text, or all is selected.
    pub at_end: bool,
}

impl Caret {
    pub fn of(input: &HtmlInputElement) -> Self {
        let length = input.value().encode_utf16().count() as u32;
        let start = input
            .selection_start()
            .or_logged("reading the caret")
            .flatten()
            .unwrap_or(0);
        let end = input
            .selection_end()
            .or_logged("reading the caret")
            .flatten()
            .unwrap_or(length);
        Caret::over(start, end, length)
    }

    /// That of a selection in a text of a length.
    fn over(start: u32, end: u32, length: u32) -> Self {
        let is_all = start == 0 && end == length;
        Caret {
            at_start: end == 0 || is_all,
            at_end: start == length || is_all,
        }
    }
}

/// The cell that a key leads to, if it leads to another: left and right do from the ends of the text alone, so that the
/// caret can be moved in it.
pub fn moved(
    (row, column): (usize, usize),
    key: &str,
    caret: Caret,
    (rows, columns): (usize, usize),
) -> Option<(usize, usize)> {
    let (row, column) = match key {
        "ArrowUp" => (row.checked_sub(1)?, column),
        "ArrowDown" | "Enter" => (row + 1, column),
        "ArrowLeft" if caret.at_start => (row, column.checked_sub(1)?),
        "ArrowRight" if caret.at_end => (row, column + 1),
        _ => return None,
    };
    (row < rows && column < columns).then_some((row, column))
}

#[cfg(test)]
mod tests {
    use super::*;

    const INSIDE: Caret = Caret {
        at_start: false,
        at_end: false,
    };

    #[test]
    fn a_caret_is_at_both_ends_of_what_is_selected() {
        let both = Caret {
            at_start: true,
            at_end: true,
        };
        assert_eq!(Caret::over(0, 3, 3), both);
        assert_eq!(Caret::over(0, 0, 0), both);
        assert!(Caret::over(0, 0, 3).at_start && !Caret::over(0, 0, 3).at_end);
        assert_eq!(Caret::over(1, 2, 3), INSIDE);
    }

    #[test]
    fn arrows_lead_to_neighbours_and_not_out_of_the_matrix() {
        let all = Caret::over(0, 1, 1);
        let from = |place, key, caret| moved(place, key, caret, (2, 3));
        assert_eq!(from((0, 0), "ArrowDown", INSIDE), Some((1, 0)));
        assert_eq!(from((1, 0), "Enter", INSIDE), None);
        assert_eq!(from((1, 2), "ArrowUp", INSIDE), Some((0, 2)));
        assert_eq!(from((0, 0), "ArrowLeft", all), None);
        assert_eq!(from((0, 1), "ArrowRight", all), Some((0, 2)));
        assert_eq!(from((0, 1), "ArrowRight", INSIDE), None);
        assert_eq!(from((0, 2), "ArrowRight", all), None);
        assert_eq!(from((0, 0), "a", all), None);
    }
}
