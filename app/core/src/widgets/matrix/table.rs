//! The cells and the marks on them.

use std::ops::Range;

use attention_figures::matrix::{Scene, Window};
use leptos::{ev::MouseEvent, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::{
    data::{Marks, Matrix},
    figure::Figure,
};
use crate::i18n::{t_string, use_i18n};

/// The cells with the names of rows and columns. It stays when the window moves, and keeps the focus.
#[component]
pub(super) fn Table(
    figure: Figure,
    name: Signal<String>,
    marks: Signal<Marks>,
    picture: Memo<Option<Scene>>,
) -> impl IntoView {
    let i18n = use_i18n();
    let size = move || {
        let size = |matrix: &Matrix| (matrix.rows(), matrix.columns);
        figure
            .matrix
            .with(|matrix| matrix.as_ref().map_or((0, 0), size))
    };
    let label = move || {
        let (rows, columns) = size();
        t_string!(
            i18n,
            chapters.matrix,
            name = name.get(),
            rows = rows,
            columns = columns
        )
    };
    // One memo, so that the frames follow the marks, the inspected cell and the window alike.
    let frames = Memo::new(move |_| {
        let window = figure.sight.window()?;
        Some(Frames::new(
            marks.get(),
            figure.inspector.of(figure.id),
            &window,
        ))
    });
    let of_picture = move |read: fn(&Scene) -> String| {
        move || picture.with(|picture| picture.as_ref().map(read).unwrap_or_default())
    };
    view! {
        <div class="matrix-scroll">
            <div class="matrix-table" style=of_picture(cell_style)>
                {move || column_names(figure, &picture.read())}
                {move || row_names(figure, &picture.read())}
                <div
                    class="matrix-field"
                    style=of_picture(field_style)
                    role="application"
                    tabindex="0"
                    aria-label=label
                    on:pointermove=move |event| point(figure, picture, &event)
                    on:click=move |event| point(figure, picture, &event)
                    on:focus=move |_| figure.step(0, 0)
                    on:keydown=move |event| figure.on_key(&event)
                >
                    <div inner_html=of_picture(Scene::svg)></div>
                    {move || frames.get().map(Frames::draw)}
                </div>
            </div>
        </div>
    }
}

fn cell_style(picture: &Scene) -> String {
    let (width, height) = picture.cell;
    format!(
        "--cell-width: calc({width}px * var(--type)); --cell-height: calc({height}px * var(--type))"
    )
}

fn field_style(picture: &Scene) -> String {
    let (width, height) = picture.size();
    format!("width: calc({width}px * var(--type)); height: calc({height}px * var(--type))")
}

/// The names of the window's columns; over cells of a few pixels they could not be read.
fn column_names(figure: Figure, picture: &Option<Scene>) -> Option<impl IntoView + use<>> {
    let picture = picture.as_ref()?;
    picture.cells.first()?.text.as_ref()?;
    let names = names(
        figure,
        |matrix| &matrix.column_labels,
        &picture.window.columns,
    )?;
    Some(view! { <div class="matrix-columns" aria-hidden="true">{names}</div> })
}

/// The names of the window's rows.
fn row_names(figure: Figure, picture: &Option<Scene>) -> Option<impl IntoView + use<>> {
    let window = &picture.as_ref()?.window;
    let names = names(figure, |matrix| &matrix.row_labels, &window.rows)?;
    Some(view! { <div class="matrix-rows" aria-hidden="true">{names}</div> })
}

fn names(
    figure: Figure,
    of: fn(&Matrix) -> &[String],
    places: &Range<usize>,
) -> Option<impl IntoView + use<>> {
    figure.matrix.with(|matrix| {
        let names = of(matrix.as_ref()?).get(places.clone())?;
        let name = |name: &String| view! { <span title=name.clone()>{name.clone()}</span> };
        (!names.is_empty()).then(|| names.iter().map(name).collect_view())
    })
}

fn point(figure: Figure, picture: Memo<Option<Scene>>, event: &MouseEvent) {
    let field: Option<HtmlElement> = event
        .current_target()
        .and_then(|target| target.dyn_into().ok());
    if let Some(field) = field {
        let bounds = field.get_bounding_client_rect();
        let x = (f64::from(event.client_x()) - bounds.left()) / bounds.width();
        let y = (f64::from(event.client_y()) - bounds.top()) / bounds.height();
        let cell = picture.with_untracked(|picture| picture.as_ref()?.cell_at(x, y));
        if let Some(cell) = cell {
            figure.inspect(cell);
        }
    }
}

/// Frames around the marked row and column and the inspected cell, as far as the window shows them: places in it.
#[derive(Clone, PartialEq)]
struct Frames {
    row: Option<usize>,
    column: Option<usize>,
    cell: Option<(usize, usize)>,
}

impl Frames {
    fn new(marks: Marks, cell: Option<(usize, usize)>, window: &Window) -> Self {
        Frames {
            row: marks.row.and_then(|row| place(row, &window.rows)),
            column: marks
                .column
                .and_then(|column| place(column, &window.columns)),
            cell: cell.and_then(|(row, column)| {
                Some((place(row, &window.rows)?, place(column, &window.columns)?))
            }),
        }
    }

    fn draw(self) -> impl IntoView {
        let frame = |kind: &str, row: usize, column: usize| {
            view! {
                <div
                    class=format!("matrix-mark {kind}")
                    style=format!("--row: {row}; --column: {column}")
                ></div>
            }
        };
        (
            self.row.map(|row| frame("row", row, 0)),
            self.column.map(|column| frame("column", 0, column)),
            self.cell.map(|(row, column)| frame("cell", row, column)),
        )
    }
}

fn place(index: usize, range: &Range<usize>) -> Option<usize> {
    range.contains(&index).then(|| index - range.start)
}
