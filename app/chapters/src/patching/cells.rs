//! The map: the patched run, with the share of the answer that each cell restores.

use attention_core::{
    appearance::Appearance,
    i18n::{Locale, t_string, use_i18n},
    names::{name_of, token_name},
};
use attention_figures::color::{css, diverging, ink_on};
use attention_trace::PatchedPlace;
use leptos::{ev::KeyboardEvent, html, prelude::*};
use leptos_i18n::I18nContext;

use super::{
    context::PatchingContext,
    dragging::Dragging,
    focus::move_focus,
    layout::{Column, Layout, share},
    names::{RowHeading, in_percent, row_words, whole},
};

/// The map of the patched run: the share of the answer that each cell restores.
#[component]
pub fn Cells() -> impl IntoView {
    let context = PatchingContext::expect();
    let table = NodeRef::<html::Table>::new();
    let layout = context.layout;
    let body = move || {
        layout
            .get()
            .map(|layout| view! { <MapRows layout table /> })
    };
    view! { <table class="patching-cells" node_ref=table>{body}</table> }
}

#[component]
fn MapRows(layout: Layout, table: NodeRef<html::Table>) -> impl IntoView {
    let size = (layout.rows.len(), layout.columns.len());
    let heads = layout
        .columns
        .iter()
        .cloned()
        .map(|column| view! { <ColumnHeading column /> });
    let row = {
        let layout = layout.clone();
        move |row: usize| {
            let layout = layout.clone();
            let cells = layout.columns.iter().enumerate().map(|(column, _)| {
                let place = layout.place(row, column);
                view! { <MapCell at=(row, column) place size table /> }
            });
            view! {
                <tr>
                    <th scope="row"><RowHeading site=layout.rows[row] /></th>
                    {cells.collect_view()}
                </tr>
            }
        }
    };
    view! {
        <thead><tr><td></td>{heads.collect_view()}</tr></thead>
        <tbody>{(0..size.0).rev().map(row).collect_view()}</tbody>
    }
}

#[component]
fn ColumnHeading(column: Column) -> impl IntoView {
    let i18n = use_i18n();
    let name = token_name();
    match column {
        Column::Head(head) => view! {
            <th scope="col">{move || t_string!(i18n, patching.head, head = head + 1)}</th>
        }
        .into_any(),
        Column::Position { to, is_same, .. } => {
            let words = move || {
                to.as_ref()
                    .map_or_else(|| "—".to_owned(), |(_, token)| name(token))
            };
            view! {
                <th scope="col" class:differs=!is_same><span class="token">{words}</span></th>
            }
            .into_any()
        }
    }
}

#[component]
fn MapCell(
    at: (usize, usize),
    place: Option<PatchedPlace>,
    size: (usize, usize),
    table: NodeRef<html::Table>,
) -> impl IntoView {
    let i18n = use_i18n();
    let context = PatchingContext::expect();
    let (appearance, dragging) = (Appearance::expect(), Dragging::expect());
    let back = Memo::new(move |_| context.map.with(|map| share(&map.cells, map.ends, at)));
    let chosen = Memo::new(move |_| {
        let place = context.view.with(|view| view.place)?;
        context
            .layout
            .with(|layout| Some((layout.as_ref()?.cell(place), place)))
    });
    let is_chosen = Memo::new(move |_| chosen.get().is_some_and(|(cell, _)| cell == Some(at)));
    let is_reached = Memo::new(move |_| {
        context.layout.with(|layout| {
            let layout = layout.as_ref()?;
            let (_, place) = chosen.get()?;
            Some(layout.is_reached(place, at))
        }) == Some(true)
    });
    // Where what is picked up can be put.
    let takes = Memo::new(move |_| {
        let taken = dragging.taken()?;
        context
            .layout
            .with(|layout| layout.as_ref()?.dropped(taken, at))
    });
    let is_over = Memo::new(move |_| dragging.is_over(at) && takes.get().is_some());
    let first = Memo::new(move |_| match chosen.get() {
        Some((Some(cell), _)) => cell,
        _ => (size.0.saturating_sub(1), 0),
    });
    let style = move || {
        let background = back.get().map(|share| diverging(share, appearance.get()));
        background.map(|color| format!("background: {}; color: {}", css(color), css(ink_on(color))))
    };
    let shown = move || match (back.get(), place) {
        (Some(share), _) => whole(share),
        (None, Some(_)) => "·".to_owned(),
        (None, None) => "—".to_owned(),
    };
    let row = row_words();
    let title = move || {
        let site = context
            .layout
            .with(|layout| layout.as_ref()?.rows.get(at.0).copied());
        let row = site.map(row).unwrap_or_default();
        let column = column_words(context, at.1, i18n);
        match (back.get(), place) {
            (Some(share), _) => {
                t_string!(
                    i18n,
                    patching.cell,
                    row = row,
                    column = column,
                    share = in_percent(share)
                )
            }
            (None, Some(_)) => t_string!(i18n, patching.cell_unknown, row = row, column = column),
            (None, None) => t_string!(i18n, patching.cell_alone, row = row),
        }
    };
    let on_key = move |event: KeyboardEvent| move_focus(&event, at, size, table, "data-patch");
    view! {
        <td>
            <button
                type="button"
                class="patching-cell"
                class:no-partner=place.is_none()
                class:is-reached=is_reached
                class:takes=move || takes.get().is_some()
                class:is-over=is_over
                data-testid="patching-cell"
                data-patch=format!("{}-{}", at.0, at.1)
                style=style
                tabindex=move || if first.get() == at { "0" } else { "-1" }
                aria-pressed=move || is_chosen.get().to_string()
                aria-label=title
                on:click=move |_| dragging.put(context, at)
                on:keydown=on_key
            >
                {shown}
            </button>
        </td>
    }
}

fn column_words(context: PatchingContext, column: usize, i18n: I18nContext<Locale>) -> String {
    context.layout.with(|layout| {
        match layout
            .as_ref()
            .and_then(|layout| layout.columns.get(column))
        {
            Some(Column::Head(head)) => t_string!(i18n, patching.head, head = head + 1),
            Some(Column::Position {
                to: Some((_, token)),
                ..
            }) => {
                format!("“{}”", name_of(i18n, token))
            }
            _ => "—".to_owned(),
        }
    })
}
