//! The chosen head's cells, once the visitor is close enough to read them.

use attention_figures::{model_map::Rect, sheet::MARGIN};
use attention_trace::{Quantity, Token};
use leptos::prelude::*;

use super::context::MapContext;
use attention_core::{
    engine::Live,
    names::token_name,
    widgets::{Pick, numbers::decimal},
};

/// The most rows and columns whose values are written into the cells.
const MOST: usize = 24;

/// Tokens along the chosen head's map and values in its cells; a click locks a cell.
#[component]
pub fn HeadCells(context: MapContext) -> impl IntoView {
    let rect = Memo::new(move |_| {
        let head = context.heads.chosen()?;
        let rect = context.head(head)?;
        context.is_legible(rect).then_some(rect)
    });
    move || rect.get().map(|rect| view! { <Cells context rect /> })
}

#[component]
fn Cells(context: MapContext, rect: Rect) -> impl IntoView {
    let name = token_name();
    let side = rect.width * (1.0 - 2.0 * MARGIN);
    let axes = Memo::new(move |_| {
        let names = |tokens: &[Token]| tokens.iter().map(name).collect::<Vec<_>>();
        let (trace, head) = (context.heads.trace()?, context.heads.chosen()?);
        let (queries, keys) = trace.meta.axes(head.attention.kind);
        let axes = (names(queries), names(keys));
        (axes.0.len() <= MOST && axes.1.len() <= MOST).then_some(axes)
    });
    // Its own, whatever is under the pointer and however many heads are chosen.
    let matrix =
        Live::expect().part(move || Some(context.heads.chosen()?.excerpt(Quantity::Pattern)));
    let weights = Memo::new(move |_| {
        let ((queries, keys), matrix) = (axes.get()?, matrix.get()?);
        let (rows, columns) = (queries.len(), keys.len());
        let fits = matrix.0.shape == [rows, columns];
        fits.then(|| (rows, columns, matrix.0.data.clone()))
    });
    let values = move || {
        let (rows, columns, weights) = weights.get()?;
        let sizes = (side / columns as f64, side / rows as f64);
        let cells = weights.into_iter().enumerate();
        let cells =
            cells.map(|(index, weight)| value(weight, index / columns, index % columns, sizes));
        Some(cells.collect_view())
    };
    let labels = move || {
        let (queries, keys) = axes.get()?;
        let (width, height) = (side / keys.len() as f64, side / queries.len() as f64);
        let size = 0.36 * width.min(height);
        let across = keys.into_iter().enumerate().map(move |(index, name)| {
            let x = (index as f64 + 0.5) * width;
            label(name, x, -0.3 * size, "middle", size)
        });
        let down = queries.into_iter().enumerate().map(move |(index, name)| {
            let y = (index as f64 + 0.5) * height + 0.35 * size;
            label(name, -0.3 * size, y, "end", size)
        });
        Some(across.chain(down).collect_view())
    };
    let (left, top) = (rect.x + rect.width * MARGIN, rect.y + rect.width * MARGIN);
    view! {
        <svg
            class="map-cells"
            data-testid="map-cells"
            aria-hidden="true"
            style=format!("left: {left}px; top: {top}px; width: {side}px; height: {side}px")
            on:pointermove=move |event| context.heads.hover_cell(context.heads.cell_under(&event))
            on:pointerleave=move |_| context.heads.hover_cell(None)
            on:click=move |event| {
                if let Some(cell) = context.heads.cell_under(&event)
                    && !context.dragged()
                {
                    match context.heads.pick(Pick::of(&event)) {
                        Pick::Alone => context.heads.lock_cell(cell),
                        pick => context.heads.click_cell(cell, pick),
                    }
                }
            }
        >
            <rect class="map-cells-field" width=side height=side></rect>
            {values}
            {labels}
        </svg>
    }
}

fn value(weight: f32, row: usize, column: usize, (width, height): (f64, f64)) -> impl IntoView {
    let size = 0.3 * width.min(height);
    view! {
        <text
            class="map-cells-value"
            class:on-dark={weight > 0.5}
            x=(column as f64 + 0.5) * width
            y=(row as f64 + 0.5) * height + 0.35 * size
            style=format!("font-size: {size:.3}px")
        >
            {decimal(weight, 2)}
        </text>
    }
}

fn label(name: String, x: f64, y: f64, anchor: &'static str, size: f64) -> impl IntoView {
    view! {
        <text
            class="map-cells-label"
            x=x
            y=y
            text-anchor=anchor
            style=format!("font-size: {size:.3}px")
        >
            {name}
        </text>
    }
}
