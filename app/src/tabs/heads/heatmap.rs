//! The selected head as a map of cells, with tokens on both axes.

use attention_figures::heatmap;
use attention_trace::{AttentionKind, Stack, Token};
use leptos::{
    ev::{KeyboardEvent, MouseEvent},
    prelude::*,
};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::context::HeadsContext;
use crate::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    names::token_name,
    state::Cell,
    widgets::{MapCanvas, Pixels},
};

/// The most labels on an axis that has room for them all.
const MOST_LABELS: usize = 64;
/// About how many labels stand on a longer one, so that they can be read.
const THINNED_LABELS: usize = 36;

/// The heatmap: the pointer reads a cell, a click locks it, arrow keys move it.
#[component]
pub fn Heatmap() -> impl IntoView {
    let context = HeadsContext::expect();
    let axes = axes(context);
    view! {
        <div class="map-scroll">
            <div
                class="map"
                class:dense=move || {
                    axes.with(|(queries, keys)| is_dense(queries) || is_dense(keys))
                }
                style=move || {
                    axes.with(|(queries, keys)| {
                        format!("--rows: {}; --columns: {}", queries.len(), keys.len())
                    })
                }
            >
                <Corner />
                <div class="map-keys" aria-hidden="true">
                    {move || axes.with(|(_, keys)| labels(context, keys, |cell| cell.key))}
                </div>
                <div class="map-queries" aria-hidden="true">
                    {move || axes.with(|(queries, _)| labels(context, queries, |cell| cell.query))}
                </div>
                <Field />
            </div>
        </div>
    }
}

#[component]
fn Corner() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <div class="map-corner" aria-hidden="true">
            <span class="map-corner-keys">{t!(i18n, heads.key)}" →"</span>
            <span class="map-corner-queries">{t!(i18n, heads.query)}" ↓"</span>
        </div>
    }
}

/// What stands at a row or a column.
#[derive(Clone, PartialEq)]
struct Label {
    text: String,
    token: Token,
}

/// The labels of both axes. A row of what the model writes says what it reads and what it writes after that: "m → a".
fn axes(context: HeadsContext) -> Memo<(Vec<Label>, Vec<Label>)> {
    let name = token_name();
    let label = move |token: &Token| Label {
        text: name(token),
        token: token.clone(),
    };
    Memo::new(move |_| {
        let is_read = context.kind().map(AttentionKind::stack) == Some(Stack::Decoder);
        let axes = context.with_axes(|queries, keys| {
            let queries: Vec<_> = queries.iter().map(label).collect();
            (queries, keys.iter().map(label).collect::<Vec<_>>())
        });
        let (mut queries, keys) = axes.unwrap_or_default();
        if is_read && !is_dense(&queries) {
            for (row, query) in queries.iter_mut().enumerate() {
                if let Some(next) = context.written_after(row) {
                    query.text = format!("{} → {}", query.text, name(&next));
                }
            }
        }
        (queries, keys)
    })
}

/// More tokens than there is room for labels.
fn is_dense(tokens: &[Label]) -> bool {
    tokens.len() > MOST_LABELS
}

/// Labels at equal distances, every one where there is room, and that of the selected cell.
fn labels(
    context: HeadsContext,
    tokens: &[Label],
    place: fn(Cell) -> usize,
) -> impl IntoView + use<> {
    let step = if is_dense(tokens) {
        tokens.len().div_ceil(THINNED_LABELS)
    } else {
        1
    };
    let labels = tokens.iter().cloned().enumerate().step_by(step);
    let in_sight = (step > 1).then(|| {
        let tokens = tokens.to_vec();
        move || {
            let index = place(context.cell()?);
            let label = tokens.get(index)?.clone();
            Some(view! {
                <span class="map-label in-sight" style=format!("--at: {index}")>
                    {text(label)}
                </span>
            })
        }
    });
    let labels = labels
        .map(|(index, label)| {
            let in_sight = move || step == 1 && context.cell().map(place) == Some(index);
            view! {
                <span class="map-label" class:in-sight=in_sight style=format!("--at: {index}")>
                    {text(label)}
                </span>
            }
        })
        .collect_view();
    (labels, in_sight)
}

fn text(label: Label) -> impl IntoView {
    view! {
        <span class="token" class:unknown=label.token.unknown title=label.token.text>
            {label.text}
        </span>
    }
}

#[component]
fn Field() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let appearance = Appearance::expect();
    let pixels = Signal::derive(move || {
        let (scale, theme) = (context.scale(), appearance.get());
        context.with_picture(|rows, columns, values| Pixels {
            rgba: heatmap::rgba(values, rows, columns, scale, theme),
            rows,
            columns,
        })
    });
    view! {
        <div
            class="map-field"
            data-testid="heatmap"
            role="application"
            tabindex="0"
            aria-label=move || t_string!(i18n, heads.map_label)
            aria-describedby="cell-readout"
            on:pointermove=move |event| context.hover_cell(cell_under(context, &event))
            on:pointerleave=move |_| context.hover_cell(None)
            on:click=move |event| {
                // A finger clicks without hovering first.
                if let Some(cell) = cell_under(context, &event) {
                    context.toggle_cell(cell);
                }
            }
            on:keydown=move |event| on_key(context, &event)
        >
            <MapCanvas pixels />
            {move || match context.cell() {
                Some(cell) => Some(marks(cell, context.is_locked()).into_any()),
                None => context.step_row().map(|row| row_mark(row).into_any()),
            }}
        </div>
    }
}

/// The row of the decoding step.
fn row_mark(row: usize) -> impl IntoView {
    view! {
        <div class="map-marks" style=format!("--row: {row}")>
            <div class="mark-row"></div>
        </div>
    }
}

/// The row, the column and the selected cell.
fn marks(cell: Cell, locked: bool) -> impl IntoView {
    view! {
        <div class="map-marks" style=format!("--row: {}; --column: {}", cell.query, cell.key)>
            <div class="mark-row"></div>
            <div class="mark-column"></div>
            <div class="mark-cell" class:locked=locked></div>
        </div>
    }
}

fn cell_under(context: HeadsContext, event: &MouseEvent) -> Option<Cell> {
    let field: HtmlElement = event.current_target()?.dyn_into().ok()?;
    let bounds = field.get_bounding_client_rect();
    let x = (f64::from(event.client_x()) - bounds.left()) / bounds.width();
    let y = (f64::from(event.client_y()) - bounds.top()) / bounds.height();
    untrack(|| context.with_map(|map| map.cell_at(x, y))).flatten()
}

fn on_key(context: HeadsContext, event: &KeyboardEvent) {
    match event.key().as_str() {
        "ArrowUp" => context.move_cell(-1, 0),
        "ArrowDown" => context.move_cell(1, 0),
        "ArrowLeft" => context.move_cell(0, -1),
        "ArrowRight" => context.move_cell(0, 1),
        "Escape" => context.release_cell(),
        _ => return,
    }
    event.prevent_default();
}
