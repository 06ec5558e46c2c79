//! A matrix whose numbers can be changed: typed, pasted, reached by arrow keys.

mod drafts;
mod moves;
mod number;

use js_sys::{Function, Reflect};
use leptos::{ev::KeyboardEvent, prelude::*};
use leptos_i18n::I18nContext;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::HtmlInputElement;

use self::{
    drafts::Place,
    moves::{Caret, moved},
    number::{EntryError, parse, parse_rows, spell},
};
use super::ScrollRegion;
use crate::i18n::{Locale, t_string, use_i18n};

pub use self::drafts::Drafts;

/// Cells, by row and column, and their new numbers in hundredths.
pub type Changes = Vec<((usize, usize), i32)>;

/// The matrix. A text that is no number stays in its cell, marked, with the reason below, and the cell keeps its number.
#[component]
pub fn EditableMatrix(
    /// Tells it from others, and for tests.
    id: &'static str,
    /// What it is called, as MathML or text; trusted HTML.
    symbol: &'static str,
    /// What it is.
    #[prop(into)]
    name: Signal<String>,
    /// Rows and columns.
    shape: (usize, usize),
    /// Its numbers, row by row, in hundredths.
    #[prop(into)]
    values: Signal<Vec<i32>>,
    /// The smallest and the largest number, in hundredths.
    bounds: (i32, i32),
    /// What each row is; empty where rows have no names.
    #[prop(into)]
    rows: Signal<Vec<String>>,
    /// Whether a cell, by row and column, is marked as changed.
    #[prop(into)]
    changed: Callback<(usize, usize), bool>,
    /// Texts that are no numbers.
    drafts: Drafts,
    /// Called with changed cells.
    #[prop(into)]
    set: Callback<Changes>,
) -> impl IntoView {
    let editor = Editor {
        id,
        shape,
        bounds,
        values,
        name,
        rows,
        changed,
        drafts,
        set,
        i18n: use_i18n(),
    };
    let row = move |row: usize| {
        let label = move || rows.read().get(row).cloned();
        let has_label = move || rows.read().get(row).is_some();
        view! {
            <tr>
                <Show when=has_label><th scope="row">{label}</th></Show>
                {(0..shape.1).map(|column| view! { <td><Cell editor row column /></td> }).collect_view()}
            </tr>
        }
    };
    view! {
        <figure class="editable-matrix" data-testid="editable" data-matrix=id>
            <figcaption class="matrix-name">
                <span class="matrix-symbol" inner_html=symbol></span>
                <span>{name}</span>
                <span class="matrix-shape number">{format!("{} × {}", shape.0, shape.1)}</span>
            </figcaption>
            <ScrollRegion name>
                <table aria-label=name>
                    <tbody>{(0..shape.0).map(row).collect_view()}</tbody>
                </table>
            </ScrollRegion>
            <p class="entry-error" role="alert" id=editor.error_id() data-testid="entry-error">
                {move || editor.error_in_words()}
            </p>
        </figure>
    }
}

/// One matrix on screen.
#[derive(Clone, Copy)]
struct Editor {
    id: &'static str,
    shape: (usize, usize),
    bounds: (i32, i32),
    values: Signal<Vec<i32>>,
    name: Signal<String>,
    rows: Signal<Vec<String>>,
    changed: Callback<(usize, usize), bool>,
    drafts: Drafts,
    set: Callback<Changes>,
    i18n: I18nContext<Locale>,
}

#[component]
fn Cell(editor: Editor, row: usize, column: usize) -> impl IntoView {
    let place = editor.place(row, column);
    let drafts = editor.drafts;
    let text = move || drafts.text(place).unwrap_or_else(|| editor.number(place));
    let is_wrong = move || drafts.is_wrong(place);
    view! {
        <input
            type="text"
            inputmode="decimal"
            autocomplete="off"
            class="number"
            class:changed=move || editor.changed.run((row, column))
            data-row=row
            data-column=column
            aria-label=move || editor.label(place)
            aria-invalid=move || is_wrong().then_some("true")
            aria-describedby=move || is_wrong().then(|| editor.error_id())
            prop:value=text
            on:input:target=move |event| editor.typed(place, event.target().value())
            on:focus:target=move |event| event.target().select()
            on:blur=move |_| drafts.settle(place)
            on:keydown:target=move |event| editor.on_key(place, &event.target(), &event)
            on:paste:target=move |event| {
                let pasted = pasted_text(event.as_ref()).unwrap_or_default();
                if editor.pasted(place, &event.target().value(), &pasted) {
                    event.prevent_default();
                }
            }
        />
    }
}

impl Editor {
    fn place(self, row: usize, column: usize) -> Place {
        (self.id, row, column)
    }

    fn error_id(self) -> String {
        format!("entry-error-{}", self.id)
    }

    /// The number of a cell as it is written.
    fn number(self, (_, row, column): Place) -> String {
        let values = self.values.read();
        let value = values.get(row * self.shape.1 + column);
        value.copied().map(spell).unwrap_or_default()
    }

    fn label(self, (_, row, column): Place) -> String {
        let named = self.rows.read().get(row).cloned();
        t_string!(
            self.i18n,
            entry.cell,
            matrix = self.name.get(),
            row = named.unwrap_or_else(|| (row + 1).to_string()),
            column = column + 1
        )
    }

    /// A text was typed: as soon as it is a number, the cell has it.
    fn typed(self, place: Place, text: String) {
        let parsed = parse(&text, self.bounds);
        self.drafts.put(place, text, parsed.err());
        if let Ok(hundredths) = parsed {
            self.set.run(vec![((place.1, place.2), hundredths)]);
        }
    }

    /// A text was pasted: several numbers fill the cells from this one on. Returns whether it was taken; what is
    /// not, the browser puts into the cell.
    fn pasted(self, place: Place, before: &str, text: &str) -> bool {
        let changes = match parse_rows(text, self.bounds) {
            Ok(rows) if rows.iter().map(Vec::len).sum::<usize>() < 2 => return false,
            Ok(rows) => self.spread(place, rows),
            Err(_) if text.split_whitespace().count() < 2 => return false,
            Err(error) => Err(error),
        };
        match changes {
            Ok(changes) => {
                for &((row, column), _) in &changes {
                    self.drafts.drop(self.place(row, column));
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

    fn on_key(self, place: Place, input: &HtmlInputElement, event: &KeyboardEvent) {
        if event.key() == "Escape" {
            event.prevent_default();
            return self.drafts.drop(place);
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

    /// What is wrong in the first cell whose text is no number.
    fn error_in_words(self) -> Option<String> {
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

/// The text that an event pastes.
fn pasted_text(event: &JsValue) -> Option<String> {
    let data = Reflect::get(event, &"clipboardData".into()).ok()?;
    let read: Function = Reflect::get(&data, &"getData".into())
        .ok()?
        .dyn_into()
        .ok()?;
    read.call1(&data, &"text".into()).ok()?.as_string()
}

/// Gives the focus to another cell of an input's matrix.
fn focus(input: &HtmlInputElement, row: usize, column: usize) {
    let selector = format!("input[data-row='{row}'][data-column='{column}']");
    let table = input.closest("table").ok().flatten();
    let cell = table.and_then(|table| table.query_selector(&selector).ok()?);
    if let Some(cell) = cell.and_then(|cell| cell.dyn_into::<HtmlInputElement>().ok()) {
        // Fails only where the element cannot be focused, which changes nothing.
        let _ = cell.focus();
    }
}
