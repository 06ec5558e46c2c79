//! One matrix on screen: what becomes of a text that is typed or pasted, and of keys.

use attention_protocol::OrLogged;
use js_sys::{Function, Reflect};
use leptos::{ev::KeyboardEvent, prelude::*};
use leptos_i18n::I18nContext;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::HtmlInputElement;

use super::{
    drafts::{Drafts, Place},
    moves::{Caret, moved},
    number::{EntryError, parse, parse_rows, spell},
};
use crate::i18n::{Locale, t_string};

/// Cells, by row and column, and their new numbers in hundredths.
pub type Changes = Vec<((usize, usize), i32)>;

/// One matrix on screen.
#[derive(Clone, Copy)]
pub struct Editor {
    pub id: &'static str,
    pub shape: (usize, usize),
    pub bounds: (i32, i32),
    pub values: Signal<Vec<i32>>,
    pub name: Signal<String>,
    pub rows: Signal<Vec<String>>,
    pub columns: Signal<Vec<String>>,
    pub changed: Callback<(usize, usize), bool>,
    pub drafts: Drafts,
    pub set: Callback<Changes>,
    pub i18n: I18nContext<Locale>,
}

impl Editor {
    pub fn place(self, row: usize, column: usize) -> Place {
        (self.id, row, column)
    }

    pub fn error_id(self) -> String {
        format!("entry-error-{}", self.id)
    }

    /// The number of a cell as it is written.
    pub fn number(self, (_, row, column): Place) -> String {
        let values = self.values.read();
        let value = values.get(row * self.shape.1 + column);
        value.copied().map(spell).unwrap_or_default()
    }

    pub fn label(self, (_, row, column): Place) -> String {
        let named = self.rows.read().get(row).cloned();
        let column_name = self.columns.read().get(column).cloned();
        t_string!(
            self.i18n,
            entry.cell,
            matrix = self.name.get(),
            row = named.unwrap_or_else(|| (row + 1).to_string()),
            column = column_name.unwrap_or_else(|| (column + 1).to_string())
        )
    }

    /// A text was typed: as soon as it is a number, the cell has it.
    pub fn typed(self, place: Place, text: String) {
        let parsed = parse(&text, self.bounds);
        self.drafts.put(place, text, parsed.err());
        if let Ok(hundredths) = parsed {
            self.set.run(vec![((place.1, place.2), hundredths)]);
        }
    }

    /// A text was pasted: several numbers fill the cells from this one on. Returns whether it was taken; what is
    /// not, the browser puts into the cell.
    pub fn pasted(self, place: Place, before: &str, text: &str) -> bool {
        let changes = match parse_rows(text, self.bounds) {
            Ok(rows) if rows.iter().map(Vec::len).sum::<usize>() < 2 => return false,
            Ok(rows) => self.spread(place, rows),
            Err(_) if text.split_whitespace().count() < 2 => return false,
            Err(error) => Err(error),
        };
        match changes {
            Ok(changes) => {
                for &((row, column), _) in &changes {
                    self.drafts.discard(self.place(row, column));
                }
                self.set.run(changes);
            }
            Err(error) => self.drafts.put(place, before.to_owned(), Some(error)),
        }
        true
    }

    /// Rows of numbers over the cells from one on.
    fn spread(self, (_, row, column): Place, rows: Vec<Vec<i32>>) -> Result<Changes, EntryError> {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        if row + rows.len() > self.shape.0 || column + columns > self.shape.1 {
            return Err(EntryError::TooMany(rows.len(), columns));
        }
        let cells = |(down, numbers): (usize, Vec<i32>)| {
            let numbers = numbers.into_iter().enumerate();
            numbers.map(move |(right, number)| ((row + down, column + right), number))
        };
        Ok(rows.into_iter().enumerate().flat_map(cells).collect())
    }

    pub fn on_key(self, place: Place, input: &HtmlInputElement, event: &KeyboardEvent) {
        if event.key() == "Escape" {
            event.prevent_default();
            return self.drafts.discard(place);
        }
        let to = moved(
            (place.1, place.2),
            &event.key(),
            Caret::of(input),
            self.shape,
        );
        if let Some((row, column)) = to {
            event.prevent_default();
            focus(input, row, column);
        }
    }

    /// Describes the error in the first cell whose text is not a valid number.
    pub fn error_in_words(self) -> Option<String> {
        let (place, text, error) = self.drafts.first_error(self.id)?;
        let reason = match error {
            EntryError::NotANumber => t_string!(self.i18n, entry.not_a_number, text = text),
            EntryError::TooFine => t_string!(self.i18n, entry.too_fine, text = text),
            EntryError::OutOfBounds(low, high) => t_string!(
                self.i18n,
                entry.out_of_bounds,
                text = text,
                low = spell(low),
                high = spell(high)
            ),
            EntryError::TooMany(rows, columns) => {
                t_string!(self.i18n, entry.too_many, rows = rows, columns = columns)
            }
        };
        let (cell, number) = (self.label(place), self.number(place));
        Some(t_string!(
            self.i18n,
            entry.wrong,
            cell = cell,
            reason = reason,
            number = number
        ))
    }
}

pub fn pasted_text(event: &JsValue) -> Option<String> {
    let data = Reflect::get(event, &"clipboardData".into()).or_logged("reading what is pasted")?;
    let read: Function = Reflect::get(&data, &"getData".into())
        .or_logged("reading what is pasted")?
        .dyn_into()
        .ok()?;
    read.call1(&data, &"text".into())
        .or_logged("reading what is pasted")?
        .as_string()
}

/// Gives the focus to another cell of an input's matrix.
fn focus(input: &HtmlInputElement, row: usize, column: usize) {
    let selector = format!("input[data-row='{row}'][data-column='{column}']");
    let table = input.closest("table").or_logged("finding a cell").flatten();
    let cell = table.and_then(|table| {
        table
            .query_selector(&selector)
            .or_logged("finding a cell")?
    });
    if let Some(cell) = cell.and_then(|cell| cell.dyn_into::<HtmlInputElement>().ok()) {
        cell.focus().or_logged("moving the focus");
    }
}
