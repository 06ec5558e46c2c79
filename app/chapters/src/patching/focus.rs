//! Arrow keys in a table of cells.

use attention_protocol::OrLogged;
use leptos::{ev::KeyboardEvent, html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// Moves the focus to the next cell in a key's direction, in a table with these numbers of rows and columns; the last
/// row is on top.
pub fn move_focus(
    event: &KeyboardEvent,
    from: (usize, usize),
    size: (usize, usize),
    table: NodeRef<html::Table>,
    attribute: &str,
) {
    let Some((row, column)) = moved(from, &event.key(), size) else {
        return;
    };
    event.prevent_default();
    event.stop_propagation();
    let selector = format!("[{attribute}='{row}-{column}']");
    let cell = table.get_untracked().and_then(|table| {
        table
            .query_selector(&selector)
            .or_logged("finding a cell")?
    });
    if let Some(cell) = cell.and_then(|cell| cell.dyn_into::<HtmlElement>().ok()) {
        cell.focus().or_logged("moving the focus");
    }
}

fn moved(
    (row, column): (usize, usize),
    key: &str,
    (rows, columns): (usize, usize),
) -> Option<(usize, usize)> {
    let (last_row, last) = (rows.saturating_sub(1), columns.saturating_sub(1));
    Some(match key {
        "ArrowUp" => ((row + 1).min(last_row), column),
        "ArrowDown" => (row.saturating_sub(1), column),
        "ArrowLeft" => (row, column.saturating_sub(1)),
        "ArrowRight" => (row, (column + 1).min(last)),
        "Home" => (row, 0),
        "End" => (row, last),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_go_through_the_cells_and_stop_at_the_edges() {
        let to = |from, key| moved(from, key, (4, 6));
        assert_eq!(to((1, 2), "ArrowUp"), Some((2, 2)));
        assert_eq!(to((3, 2), "ArrowUp"), Some((3, 2)));
        assert_eq!(to((0, 0), "ArrowDown"), Some((0, 0)));
        assert_eq!(to((0, 5), "ArrowRight"), Some((0, 5)));
        assert_eq!(to((0, 3), "End"), Some((0, 5)));
        assert_eq!(to((0, 3), "a"), None);
    }
}
