//! The cells of the chosen head, once the visitor is close enough to read them.

use attention_figures::{model_map::Rect, number::share_in_cell, sheet::MARGIN};
use attention_trace::{Quantity, Token};
use leptos::prelude::*;

use super::context::MapContext;
use attention_core::{engine::Live, names::token_name, widgets::Pick};

/// The largest number of rows and columns with names and values.
const MOST: usize = 24;

/// The chosen head, close enough to read its cells.
#[derive(Clone, Debug, PartialEq)]
pub struct CloseHead {
    /// The rectangle of the cells on the map.
    pub cells: Rect,
    /// The names of the rows; none if there are too many.
    pub queries: Vec<String>,
    /// The names of the columns; none if there are too many.
    pub keys: Vec<String>,
}

/// Returns the chosen head; `None` if it is not close, or drawn over a picture.
pub fn close_head(context: MapContext) -> Memo<Option<CloseHead>> {
    let name = token_name();
    let rect = Memo::new(move |_| {
        let rect = context.head(context.heads.chosen()?)?;
        context.is_legible(rect).then_some(rect)
    });
    Memo::new(move |_| {
        let rect = rect.get().filter(|_| !context.heads.is_of_picture())?;
        let names = |tokens: &[Token]| tokens.iter().map(name).collect::<Vec<_>>();
        let axes = context.heads.chosen_axes()?;
        let (queries, keys) = (axes.queries.tokens(), axes.keys.tokens());
        let fits = queries.len() <= MOST && keys.len() <= MOST;
        let (margin, side) = (rect.width * MARGIN, rect.width * (1.0 - 2.0 * MARGIN));
        Some(CloseHead {
            cells: Rect {
                x: rect.x + margin,
                y: rect.y + margin,
                width: side,
                height: side,
            },
            queries: if fits { names(queries) } else { Vec::new() },
            keys: if fits { names(keys) } else { Vec::new() },
        })
    })
}

/// Values in the cells of the chosen head's map; a click locks a cell.
#[component]
pub fn HeadCells(context: MapContext, head: Memo<Option<CloseHead>>) -> impl IntoView {
    let cells = Memo::new(move |_| head.with(|head| head.as_ref().map(|head| head.cells)));
    move || {
        cells
            .get()
            .map(|cells| view! { <Cells context head cells /> })
    }
}

#[component]
fn Cells(context: MapContext, head: Memo<Option<CloseHead>>, cells: Rect) -> impl IntoView {
    let side = cells.width;
    // Its own, whatever is under the pointer and however many heads are chosen.
    let matrix =
        Live::expect().part(move || Some(context.heads.chosen()?.excerpt(Quantity::Pattern)));
    let weights = Memo::new(move |_| {
        let matrix = matrix.get()?;
        let (rows, columns) = head.with(|head| {
            let head = head.as_ref()?;
            Some((head.queries.len(), head.keys.len()))
        })?;
        let shown = context.heads.chosen_axes()?.map(&matrix.0.data)?;
        let fits = rows > 0 && shown.len() == rows * columns;
        fits.then_some((rows, columns, shown))
    });
    let values = move || {
        let (rows, columns, weights) = weights.get()?;
        let sizes = (side / columns as f64, side / rows as f64);
        let cells = weights.into_iter().enumerate();
        let cells =
            cells.map(|(index, weight)| value(weight, index / columns, index % columns, sizes));
        Some(cells.collect_view())
    };
    let Rect { x, y, .. } = cells;
    view! {
        <svg
            class="map-cells"
            data-testid="map-cells"
            aria-hidden="true"
            style=format!("left: {x}px; top: {y}px; width: {side}px; height: {side}px")
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
            y=(row as f64 + 0.5) * height
            dy="0.35em"
            style=format!("--size: {size:.3}px")
        >
            {share_in_cell(weight, 2)}
        </text>
    }
}
