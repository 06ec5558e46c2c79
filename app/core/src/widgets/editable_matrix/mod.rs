//! A matrix whose numbers can be changed: typed, pasted, reached by arrow keys.

mod drafts;
mod editor;
mod moves;
mod number;

use leptos::prelude::*;

use self::editor::{Editor, pasted_text};
pub use self::{drafts::Drafts, editor::Changes};
use super::ScrollRegion;
use crate::i18n::use_i18n;

/// The matrix. A text that is no number stays in its cell, marked, with the reason below, and the cell keeps its
/// number.
#[component]
pub fn EditableMatrix(
    /// The identifier of the matrix, also used by tests.
    id: &'static str,
    /// The symbol of the matrix, as MathML or text; trusted HTML.
    symbol: &'static str,
    /// The name of the matrix in words.
    #[prop(into)]
    name: Signal<String>,
    /// The numbers of rows and columns.
    shape: (usize, usize),
    /// Its numbers, row by row, in hundredths.
    #[prop(into)]
    values: Signal<Vec<i32>>,
    /// The smallest and the largest number, in hundredths.
    bounds: (i32, i32),
    /// The names of the rows; empty where rows have no names.
    #[prop(into)]
    rows: Signal<Vec<String>>,
    /// The names of the columns, where columns have names.
    #[prop(into, optional)]
    columns: Signal<Vec<String>>,
    /// Returns true if the cell at a row and column is marked as changed.
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
        columns,
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
                    <Show when=move || !columns.read().is_empty()>
                        <thead>
                            <tr>
                                <Show when=move || !rows.read().is_empty()><td></td></Show>
                                {move || columns
                                    .get()
                                    .into_iter()
                                    .map(|column| view! { <th scope="col">{column}</th> })
                                    .collect_view()}
                            </tr>
                        </thead>
                    </Show>
                    <tbody>{(0..shape.0).map(row).collect_view()}</tbody>
                </table>
            </ScrollRegion>
            <p class="entry-error" role="alert" id=editor.error_id() data-testid="entry-error">
                {move || editor.error_in_words()}
            </p>
        </figure>
    }
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
