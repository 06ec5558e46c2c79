//! The run that is taken from, as a table whose cells are picked up.

use attention_core::{
    i18n::{t_string, use_i18n},
    names::token_name,
};
use attention_trace::{Site, TakenInto, Token};
use leptos::{
    ev::{KeyboardEvent, PointerEvent},
    html,
    prelude::*,
};

use super::{
    context::PatchingContext,
    dragging::{Dragging, Taken},
    focus::move_focus,
    layout::Layout,
    names::{RowHeading, row_words},
};

/// The run that is taken from: its cells are picked up.
#[component]
pub fn Source() -> impl IntoView {
    let i18n = use_i18n();
    let context = PatchingContext::expect();
    let caption = move || match context.view.with(|view| view.into) {
        TakenInto::Other => t_string!(i18n, patching.from_clean),
        TakenInto::Clean => t_string!(i18n, patching.from_other),
    };
    let table = NodeRef::<html::Table>::new();
    let layout = context.layout;
    let body = move || {
        layout
            .get()
            .map(|layout| view! { <SourceRows layout table /> })
    };
    view! {
        <div class="patching-block">
            <p class="patching-caption">{caption}</p>
            <div class="lesson-table patching-scroll">
                <table class="patching-cells" data-testid="patching-source" node_ref=table>
                    {body}
                </table>
            </div>
        </div>
    }
}

#[component]
fn SourceRows(layout: Layout, table: NodeRef<html::Table>) -> impl IntoView {
    let name = token_name();
    let from = layout.from.clone();
    let heads = from.iter().cloned().map(move |token| {
        view! { <th scope="col"><span class="token">{move || name(&token)}</span></th> }
    });
    let heads = heads.collect_view();
    let (rows, count) = (layout.rows.len(), from.len());
    let row = move |row: usize| {
        let site = layout.rows[row];
        let cells = from
            .iter()
            .cloned()
            .enumerate()
            .map(move |(position, token)| {
                view! { <SourceCell at=(row, position) site token size=(rows, count) table /> }
            });
        view! {
            <tr>
                <th scope="row"><RowHeading site /></th>
                {cells.collect_view()}
            </tr>
        }
    };
    view! {
        <thead><tr><td></td>{heads}</tr></thead>
        // The last layer on top, as on the map.
        <tbody>{(0..rows).rev().map(row).collect_view()}</tbody>
    }
}

#[component]
fn SourceCell(
    at: Taken,
    site: Site,
    token: Token,
    size: (usize, usize),
    table: NodeRef<html::Table>,
) -> impl IntoView {
    let i18n = use_i18n();
    let (dragging, name, row) = (Dragging::expect(), token_name(), row_words());
    let context = PatchingContext::expect();
    let is_taken = Memo::new(move |_| dragging.taken() == Some(at));
    // The chosen place's own row and position.
    let is_source = Memo::new(move |_| {
        let place = context.view.with(|view| view.place);
        context.layout.with(|layout| {
            let (Some(layout), Some(place)) = (layout, place) else {
                return false;
            };
            layout.rows.get(at.0) == Some(&place.site)
                && place.at.is_some_and(|[from, _]| from == at.1)
        })
    });
    let title = move || t_string!(i18n, patching.take, row = row(site), token = name(&token));
    let on_key = move |event: KeyboardEvent| move_focus(&event, at, size, table, "data-take");
    view! {
        <td>
            <button
                type="button"
                class="patching-source"
                class:is-source=is_source
                data-testid="patching-take"
                data-take=format!("{}-{}", at.0, at.1)
                tabindex=if at.1 == 0 && at.0 == 0 { "0" } else { "-1" }
                aria-pressed=move || is_taken.get().to_string()
                aria-label=title
                on:pointerdown=move |event: PointerEvent| dragging.press(at, &event)
                on:click=move |event| {
                    // A click by a key has no pointer behind it.
                    if event.detail() == 0 {
                        dragging.toggle(at);
                    }
                }
                on:keydown=on_key
            >
                <span class="patching-dot" aria-hidden="true"></span>
            </button>
        </td>
    }
}
