//! The chosen head's cells, once the visitor is close enough to read them.

use attention_figures::model_map::Rect;
use attention_trace::Token;
use leptos::{ev::MouseEvent, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::context::MapContext;
use crate::{names::token_name, state::Cell};

/// The most rows and columns whose values are written into the cells.
const MOST: usize = 24;
/// A sheet's margin around each map, as a share of a tile.
const MARGIN: f64 = 1.0 / 34.0;

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
        let axes = context
            .heads
            .with_axes(|queries, keys| (queries.to_vec(), keys.to_vec()))?;
        (axes.0.len() <= MOST && axes.1.len() <= MOST).then_some(axes)
    });
    let weights = Memo::new(move |_| {
        let (queries, keys) = axes.get()?;
        let weights = context.heads.with_map(|map| map.weights.to_vec())?;
        Some((queries.len(), keys.len(), weights))
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
        let across = keys.into_iter().enumerate().map(move |(index, token)| {
            label(
                name,
                token,
                (index as f64 + 0.5) * width,
                -0.3 * size,
                "middle",
                size,
            )
        });
        let down = queries.into_iter().enumerate().map(move |(index, token)| {
            let y = (index as f64 + 0.5) * height + 0.35 * size;
            label(name, token, -0.3 * size, y, "end", size)
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
            on:pointermove=move |event| context.heads.hover_cell(cell_under(context, &event))
            on:pointerleave=move |_| context.heads.hover_cell(None)
            on:click=move |event| {
                if let Some(cell) = cell_under(context, &event)
                    && !context.dragged()
                {
                    context.heads.lock_cell(cell);
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
            {format!("{weight:.2}")}
        </text>
    }
}

fn label(
    name: impl Fn(&Token) -> String + Send + Sync + 'static,
    token: Token,
    x: f64,
    y: f64,
    anchor: &'static str,
    size: f64,
) -> impl IntoView {
    view! {
        <text
            class="map-cells-label"
            x=x
            y=y
            text-anchor=anchor
            style=format!("font-size: {size:.3}px")
        >
            {move || name(&token)}
        </text>
    }
}

fn cell_under(context: MapContext, event: &MouseEvent) -> Option<Cell> {
    let field: Element = event.current_target()?.dyn_into().ok()?;
    let bounds = field.get_bounding_client_rect();
    let x = (f64::from(event.client_x()) - bounds.left()) / bounds.width();
    let y = (f64::from(event.client_y()) - bounds.top()) / bounds.height();
    untrack(|| context.heads.with_map(|map| map.cell_at(x, y))).flatten()
}
