//! The selected head as a map of cells, with tokens on both axes. Of a long text only a part is visible, so that its
//! cells can still be pointed at.

mod input;
mod labels;
mod strips;
mod window;

use attention_figures::heatmap::{Picture, rgba};
use leptos::{html, prelude::*};

use self::{
    input::MapInput,
    labels::{Axis, Labels},
    strips::{CellZoom, Strip},
    window::MapWindow,
};
use super::context::HeadsContext;
use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    selection::runs,
    widgets::{MapCanvas, Pixels, observed_size},
};

/// The heatmap: the pointer reads a cell, a click locks it, arrow keys move it; arrow keys with Shift, or a drag over
/// the queries' tokens, choose several rows.
#[component]
pub fn Heatmap() -> impl IntoView {
    let context = HeadsContext::expect();
    let ruler = NodeRef::<html::Div>::new();
    let window = MapWindow::new(context, observed_size(ruler));
    context.follow_sight(Signal::derive(move || {
        let sight = window.shown().sight;
        (sight.rows, sight.columns)
    }));
    let style = move || {
        let shown = window.shown();
        let (rows, columns) = (shown.sight.rows.len(), shown.sight.columns.len());
        let size = format!("--rows: {rows}; --columns: {columns}");
        // A map that is in sight as a whole is sized by the style sheet.
        match shown.is_part {
            true => format!("{size}; --cell: {}px", shown.cell),
            false => size,
        }
    };
    view! {
        <div class="map-room">
            <div class="map" class:is-part=move || window.is_part() style=style>
                <div class="map-ruler" aria-hidden="true"><div node_ref=ruler></div></div>
                <Corner window />
                <Labels context window axis=Axis::Keys />
                <Labels context window axis=Axis::Queries />
                <Field context window />
                <Show when=move || window.is_part()>
                    <Strip context window axis=Axis::Queries />
                    <Strip context window axis=Axis::Keys />
                </Show>
            </div>
        </div>
    }
}

#[component]
fn Corner(window: MapWindow) -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <div class="map-corner">
            <Show when=move || window.is_part()>
                <div class="map-zoom">
                    <CellZoom window closer=false />
                    <CellZoom window closer=true />
                </div>
            </Show>
            <span class="map-corner-keys" aria-hidden="true">{t!(i18n, heads.key)}" →"</span>
            <span class="map-corner-queries" aria-hidden="true">{t!(i18n, heads.query)}" ↓"</span>
        </div>
    }
}

#[component]
fn Field(context: HeadsContext, window: MapWindow) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let input = MapInput::new(context, window);
    let pixels = Memo::new(move |_| {
        let (scale, theme) = (context.scale(), appearance.get());
        let shown = window.shown();
        context.with_picture(|rows, columns, values| {
            if !shown.is_part {
                let rgba = rgba(values, rows, columns, scale, theme);
                return Pixels {
                    rgba,
                    rows,
                    columns,
                };
            }
            let picture = Picture {
                values,
                rows,
                columns,
            };
            let size = (shown.rows, shown.columns);
            Pixels {
                rgba: picture.part_rgba(size, &shown.sight, scale, theme),
                rows: shown.sight.rows.len(),
                columns: shown.sight.columns.len(),
            }
        })
    });
    let marks = Memo::new(move |_| marks(context, window));
    let chosen = Memo::new(move |_| chosen_runs(context, window));
    let given = Memo::new(move |_| given_in_sight(context, window));
    let label = move || match window.is_part() {
        true => t_string!(i18n, heads.part_label),
        false => t_string!(i18n, heads.map_label),
    };
    view! {
        <div
            class="map-field"
            id="map-field"
            data-testid="heatmap"
            role="application"
            tabindex="0"
            aria-label=label
            aria-describedby="cell-readout"
            on:pointerdown=move |event| input.press(&event)
            on:pointermove=move |event| input.point(&event)
            on:pointerup=move |event| input.release(&event)
            on:pointercancel=move |event| input.release(&event)
            on:pointerleave=move |event| {
                input.release(&event);
                context.hover_cell(None);
            }
            on:click=move |event| input.click(&event)
            on:wheel=move |event| input.wheel(&event)
            on:keydown=move |event| input.key(&event)
        >
            <MapCanvas pixels />
            {move || chosen_view(&chosen.read())}
            {move || given_view(&given.read())}
            {move || marks_view(marks.get())}
        </div>
    }
}

/// Returns the rows that are read together, as runs within the visible part.
fn chosen_runs(context: HeadsContext, window: MapWindow) -> Vec<(usize, usize)> {
    let sight = window.shown().sight.rows;
    let rows = context.rows().into_iter();
    let rows = rows.filter(|row| sight.contains(row));
    runs(&rows.map(|row| row - sight.start).collect::<Vec<_>>())
}

/// Draws a frame around each run.
fn chosen_view(runs: &[(usize, usize)]) -> impl IntoView + use<> {
    let frames = runs.iter().map(|(row, length)| {
        view! {
            <div class="map-marks" style=format!("--row: {row}; --length: {length}")>
                <div class="mark-row chosen"></div>
            </div>
        }
    });
    frames.collect_view()
}

/// Returns the cells whose weights were given, as rows and columns of the visible part, each with its number of rows.
fn given_in_sight(context: HeadsContext, window: MapWindow) -> Vec<(usize, usize, usize)> {
    let sight = window.shown().sight;
    let given = context.given().get();
    let cells = given
        .cells
        .into_iter()
        .map(|cell| (cell.query, cell.key, 1));
    let cells = cells.filter(|(row, _, _)| sight.rows.contains(row));
    let cells = cells.map(|(row, key, rows)| (row - sight.rows.start, key, rows));
    let columns = given.keys.into_iter().map(|key| (0, key, sight.rows.len()));
    let all = cells.chain(columns);
    let all = all.filter(|(_, key, _)| sight.columns.contains(key));
    all.map(|(row, key, rows)| (row, key - sight.columns.start, rows))
        .collect()
}

/// Draws a dashed frame around each given cell.
fn given_view(given: &[(usize, usize, usize)]) -> impl IntoView + use<> {
    let frames = given.iter().map(|(row, column, rows)| {
        let style = format!("--row: {row}; --column: {column}; --length: {rows}");
        view! {
            <div class="map-marks" style=style>
                <div class="mark-given" data-testid="mark-given"></div>
            </div>
        }
    });
    frames.collect_view()
}

/// The marked places within the visible part.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Marks {
    row: Option<usize>,
    column: Option<usize>,
    is_locked: bool,
}

/// Returns the row, the column and the selected cell, or else the row of the decoding step, as far as they are visible.
fn marks(context: HeadsContext, window: MapWindow) -> Marks {
    let sight = window.shown().sight;
    let cell = context.cell();
    let row = cell
        .map(|cell| cell.query)
        .or_else(|| context.step_row())
        .filter(|row| sight.rows.contains(row));
    let column = cell
        .map(|cell| cell.key)
        .filter(|column| sight.columns.contains(column));
    Marks {
        row: row.map(|row| row - sight.rows.start),
        column: column.map(|column| column - sight.columns.start),
        is_locked: context.is_locked(),
    }
}

fn marks_view(marks: Marks) -> impl IntoView {
    let Marks { row, column, .. } = marks;
    let style = format!(
        "--row: {}; --column: {}",
        row.unwrap_or(0),
        column.unwrap_or(0)
    );
    view! {
        <div class="map-marks" style=style>
            {row.map(|_| view! { <div class="mark-row"></div> })}
            {column.map(|_| view! { <div class="mark-column"></div> })}
            {row
                .zip(column)
                .map(|_| view! { <div class="mark-cell" class:locked=marks.is_locked></div> })}
        </div>
    }
}
