//! One map on the common axes: the pointer reads a cell, a click locks it, arrow keys move it, in all maps at once.

use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    state::Cell,
    widgets::{MapCanvas, Pixels, pointer_in},
};
use attention_figures::{
    difference,
    heatmap::{self, Scale},
};
use attention_protocol::OrLogged;
use leptos::{
    ev::{KeyboardEvent, MouseEvent},
    html,
    prelude::*,
};

use super::{
    align::{Fit, Place},
    axes::{Axes, Axis, Maps, Side},
    context::Comparison,
    labels::Labels,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    Weights(Side),
    /// The differences, right minus left.
    Difference,
}

impl Shows {
    fn test_id(self) -> &'static str {
        match self {
            Shows::Weights(Side::Left) => "compare-left",
            Shows::Weights(Side::Right) => "compare-right",
            Shows::Difference => "compare-difference",
        }
    }
}

/// A map with its tokens: the pointer reads a cell, a click locks it, arrow keys move it, in all three at once.
#[component]
pub fn Map(shows: Shows, scale: Signal<Scale>) -> impl IntoView {
    let i18n = use_i18n();
    let comparison = Comparison::expect();
    let room = NodeRef::<html::Div>::new();
    keep_in_sight(comparison, room);
    let style = move || {
        comparison.maps.with(|maps| {
            let (rows, columns) = maps
                .as_ref()
                .map_or((1, 1), |maps| (maps.rows, maps.columns));
            format!("--rows: {rows}; --columns: {columns}")
        })
    };
    view! {
        <div class="compare-room" node_ref=room>
            <div class="compare-map" style=style>
                <div class="compare-corner" aria-hidden="true">
                    <span class="as-key">{t!(i18n, heads.key)}" →"</span>
                    <span class="as-query">{t!(i18n, heads.query)}" ↓"</span>
                </div>
                <Labels shows is_keys=true />
                <Labels shows is_keys=false />
                <Field shows scale />
            </div>
        </div>
    }
}

#[component]
fn Field(shows: Shows, scale: Signal<Scale>) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let comparison = Comparison::expect();
    let pixels = Memo::new(move |_| {
        let theme = appearance.get();
        comparison.maps.with(|maps| {
            let maps = maps.as_ref()?;
            let (rows, columns) = (maps.rows, maps.columns);
            let rgba = match shows {
                Shows::Weights(side) => {
                    heatmap::rgba(maps.side(side), rows, columns, Scale::Absolute, theme)
                }
                Shows::Difference => {
                    difference::rgba(&maps.between, rows, columns, scale.get(), theme)
                }
            };
            Some(Pixels {
                rgba,
                rows,
                columns,
            })
        })
    });
    let label = move || match shows {
        Shows::Weights(Side::Left) => t_string!(i18n, compare.left_map),
        Shows::Weights(Side::Right) => t_string!(i18n, compare.right_map),
        Shows::Difference => t_string!(i18n, compare.difference_map),
    };
    let under = move |event: &MouseEvent| {
        comparison
            .maps
            .with_untracked(|maps| cell_under(maps.as_ref()?, event))
    };
    view! {
        <div
            class="compare-field"
            data-testid=shows.test_id()
            role="application"
            tabindex="0"
            aria-label=label
            aria-describedby="compare-readout"
            on:pointermove=move |event| comparison.hover(under(&event))
            on:pointerleave=move |_| comparison.hover(None)
            on:click=move |event| {
                if let Some(cell) = under(&event) {
                    comparison.click(cell);
                }
            }
            on:keydown=move |event| on_key(comparison, &event)
        >
            <MapCanvas pixels />
            <Gaps shows />
            <Cursor />
        </div>
    }
}

fn cell_under(maps: &Maps, event: &MouseEvent) -> Option<Cell> {
    let [x, y, width, height] = pointer_in(event)?;
    let inside = (0.0..width).contains(&x) && (0.0..height).contains(&y);
    inside.then_some(Cell {
        query: (y / height * maps.rows as f64) as usize,
        key: (x / width * maps.columns as f64) as usize,
    })
}

fn on_key(comparison: Comparison, event: &KeyboardEvent) {
    if event.ctrl_key() || event.alt_key() || event.meta_key() {
        return;
    }
    match event.key().as_str() {
        "ArrowUp" => comparison.step(-1, 0),
        "ArrowDown" => comparison.step(1, 0),
        "ArrowLeft" => comparison.step(0, -1),
        "ArrowRight" => comparison.step(0, 1),
        "Escape" => comparison.lock(None),
        _ => return,
    }
    event.prevent_default();
}

/// Rows and columns that a side does not have, or where there is nothing to compare: hatched.
#[component]
fn Gaps(shows: Shows) -> impl IntoView {
    let comparison = Comparison::expect();
    let gaps = move |axis: fn(&Axes) -> &Axis| {
        comparison.axes.with(|axes| {
            let places = axes
                .as_ref()
                .map(|axes| axis(axes).places.iter().enumerate());
            let is_gap = |place: Place| match shows {
                Shows::Weights(side) => side.of(place).is_none(),
                Shows::Difference => place.fit == Fit::Alone,
            };
            let gaps = places
                .into_iter()
                .flatten()
                .filter(|(_, place)| is_gap(**place));
            gaps.map(|(at, _)| at).collect::<Vec<_>>()
        })
    };
    let drawn = |class: &'static str, gaps: Vec<usize>| {
        let gap = |at| view! { <div class=class style=format!("--at: {at}")></div> };
        gaps.into_iter().map(gap).collect_view()
    };
    view! {
        {move || drawn("compare-gap row", gaps(|axes| &axes.queries))}
        {move || drawn("compare-gap column", gaps(|axes| &axes.keys))}
    }
}

/// The row, the column and the cell under the cursor.
#[component]
fn Cursor() -> impl IntoView {
    let comparison = Comparison::expect();
    let cell = Memo::new(move |_| {
        let cell = comparison.cell()?;
        comparison.maps.with(|maps| maps.as_ref()?.inside(cell))
    });
    let style = move || {
        let cell = cell.get().unwrap_or(Cell { query: 0, key: 0 });
        format!("--row: {}; --column: {}", cell.query, cell.key)
    };
    let is_locked = Memo::new(move |_| cell.get().is_some() && cell.get() == comparison.locked());
    view! {
        <div class="compare-cursor" class:is-hidden=move || cell.get().is_none() style=style>
            <div class="compare-mark row"></div>
            <div class="compare-mark column"></div>
            <div class="compare-mark cell" class:locked=is_locked></div>
        </div>
    }
}

/// Scrolls a map that is larger than its room to the locked cell.
fn keep_in_sight(comparison: Comparison, room: NodeRef<html::Div>) {
    // An effect because the scroll position lies outside the reactive graph.
    Effect::new(move |_| {
        let (Some(cell), Some(room)) = (comparison.locked(), room.get()) else {
            return;
        };
        let Some(Some(field)) = room
            .query_selector(".compare-field")
            .or_logged("finding a map")
        else {
            return;
        };
        let size = comparison
            .maps
            .with_untracked(|maps| Some((maps.as_ref()?.rows, maps.as_ref()?.columns)));
        let Some((rows, columns)) = size else { return };
        let bounds = (
            room.get_bounding_client_rect(),
            field.get_bounding_client_rect(),
        );
        let place = |start: f64, length: f64, at: usize, count: usize| {
            start + length * at as f64 / count as f64
        };
        let (outer, inner) = bounds;
        let x = place(
            inner.left() - outer.left(),
            inner.width(),
            cell.key,
            columns,
        );
        let y = place(inner.top() - outer.top(), inner.height(), cell.query, rows);
        let (width, height) = (inner.width() / columns as f64, inner.height() / rows as f64);
        let labels = inner.left() - outer.left() + f64::from(room.scroll_left());
        if x < labels || x + width > outer.width() {
            room.set_scroll_left(room.scroll_left() + (x - outer.width() / 2.0) as i32);
        }
        if y < 0.0 || y + height > outer.height() {
            room.set_scroll_top(room.scroll_top() + (y - outer.height() / 2.0) as i32);
        }
    });
}
