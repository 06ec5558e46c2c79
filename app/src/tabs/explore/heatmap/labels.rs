//! The tokens along the map: as many labels as are legible, and always those of the selected cell.

use attention_figures::map_window::labelled;
use attention_trace::{AttentionKind, Stack, Token};
use leptos::{ev::MouseEvent, prelude::*};

use super::window::MapWindow;
use crate::tabs::explore::context::HeadsContext;
use attention_core::{
    appearance::Appearance,
    names::{token_name, token_title},
    state::Cell,
    widgets::{Pick, pointer_in},
};

/// The least height of a row's label, in CSS pixels.
const ROW_PITCH: f64 = 14.0;
/// The distance between labels of columns, which lean by 50°.
const COLUMN_PITCH: f64 = 18.0;

/// A direction of the map.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// The queries, which are the rows.
    Queries,
    /// The keys, which are the columns.
    Keys,
}

impl Axis {
    /// Returns the place of a cell along the axis.
    fn place(self, cell: Cell) -> usize {
        match self {
            Axis::Queries => cell.query,
            Axis::Keys => cell.key,
        }
    }

    fn pitch(self) -> f64 {
        match self {
            Axis::Queries => ROW_PITCH,
            Axis::Keys => COLUMN_PITCH,
        }
    }
}

/// The label of a row or a column.
#[derive(Clone, PartialEq)]
struct Label {
    text: String,
    /// The tooltip of the label.
    title: String,
    unknown: bool,
}

/// The visible labels of an axis.
#[component]
pub fn Labels(context: HeadsContext, window: MapWindow, axis: Axis) -> impl IntoView {
    let labels = labels(context, axis);
    let appearance = Appearance::expect();
    let places = Memo::new(move |_| {
        let shown = window.shown();
        let places = match axis {
            Axis::Queries => shown.sight.rows,
            Axis::Keys => shown.sight.columns,
        };
        let first = places.start;
        let pitch = axis.pitch() * appearance.enlargement();
        let labelled = labelled(places, shown.cell, pitch, &always(context, axis));
        (first, labelled)
    });
    let placed = Memo::new(move |_| {
        let (first, places) = places.get();
        let labels = labels.read();
        let placed = places.into_iter().filter_map(|index| {
            let label = labels.get(index)?.clone();
            Some((index, index - first, label))
        });
        placed.collect::<Vec<_>>()
    });
    let count = Memo::new(move |_| placed.read().len());
    let spans = move || {
        view! {
            <For each=move || 0..count.get() key=|&place| place let(place)>
                <Span context axis placed=Memo::new(move |_| placed.read().get(place).cloned()) />
            </For>
        }
    };
    match axis {
        Axis::Queries => view! { <Choosable context window>{spans()}</Choosable> }.into_any(),
        Axis::Keys => view! { <div class="map-keys" aria-hidden="true">{spans()}</div> }.into_any(),
    }
}

/// The queries' labels: a click selects one, a drag several. The keyboard acts on the field instead.
#[component]
fn Choosable(context: HeadsContext, window: MapWindow, children: Children) -> impl IntoView {
    let query_under = move |event: &MouseEvent| {
        let [x, y, width, height] = pointer_in(event)?;
        Some(window.cell_at(x / width, y / height)?.query)
    };
    view! {
        <div
            class="map-queries"
            aria-hidden="true"
            on:pointerdown=move |event| {
                if let Some(query) = query_under(&event) {
                    context.begin_drag(query, &event);
                }
            }
            on:pointermove=move |event| {
                if let Some(query) = query_under(&event)
                    && !context.drag_to(query, &event)
                {
                    context.hover_cell(untrack(|| context.strongest_of(query)));
                }
            }
            on:pointerleave=move |_| context.hover_cell(None)
            on:click=move |event| {
                if let Some(query) = query_under(&event)
                    && !context.end_drag()
                {
                    window.stay();
                    context.click_query(query, context.pick(Pick::of(&event)));
                }
            }
        >
            {children()}
        </div>
    }
}

/// Returns the labels of an axis. A row of the model's output has the token read and the token written after it: "m →
/// a".
fn labels(context: HeadsContext, axis: Axis) -> Memo<Vec<Label>> {
    let (name, title) = (token_name(), token_title());
    let label = move |token: &Token| Label {
        text: name(token),
        title: title(token),
        unknown: token.unknown,
    };
    Memo::new(move |_| {
        let labels = context.with_axes(|queries, keys| {
            let tokens = match axis {
                Axis::Queries => queries,
                Axis::Keys => keys,
            };
            tokens.iter().map(label).collect::<Vec<_>>()
        });
        let mut labels = labels.unwrap_or_default();
        let is_written = context.kind().map(AttentionKind::stack) == Some(Stack::Decoder);
        if axis == Axis::Queries && is_written {
            for (row, query) in labels.iter_mut().enumerate() {
                if let Some(next) = context.written_after(row) {
                    query.text = format!("{} → {}", query.text, name(&next));
                }
            }
        }
        labels
    })
}

/// Returns the places that always have a label, the more important first: the cell under the pointer, the locked one,
/// the row of the decoding step, rows that are read together.
fn always(context: HeadsContext, axis: Axis) -> Vec<usize> {
    let cells = [context.cell(), context.locked_cell()];
    let places = cells.into_iter().flatten().map(|cell| axis.place(cell));
    let (step, rows) = match axis {
        Axis::Queries => (context.step_row(), context.rows()),
        Axis::Keys => (None, Vec::new()),
    };
    places.chain(step).chain(rows).collect()
}

/// A label; hidden if there is none.
#[component]
fn Span(
    context: HeadsContext,
    axis: Axis,
    /// The row or column, its index among the visible ones, and the label.
    placed: Memo<Option<(usize, usize, Label)>>,
) -> impl IntoView {
    let index = Memo::new(move |_| Some(placed.read().as_ref()?.0));
    let label = Memo::new(move |_| placed.get().map(|(_, _, label)| label));
    let in_sight = Memo::new(move |_| {
        let index = index.get()?;
        let is_chosen = axis == Axis::Queries && context.has_row(index);
        Some(is_chosen || context.cell().map(|cell| axis.place(cell)) == Some(index))
    });
    view! {
        <span
            class="map-label"
            class:is-hidden=move || index.read().is_none()
            class:in-sight=move || in_sight.get() == Some(true)
            style=move || Some(format!("--at: {}", placed.read().as_ref()?.1))
        >
            <span
                class="token"
                class:unknown=move || label.read().as_ref().is_some_and(|label| label.unknown)
                title=move || label.get().map(|label| label.title)
            >
                {move || label.get().map(|label| label.text)}
            </span>
        </span>
    }
}
