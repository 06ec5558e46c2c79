//! A matrix with its name and shape: every cell can be pointed at or reached by arrow keys, and tells
//! what it is made of.

use std::sync::Arc;

use attention_figures::matrix::{Scale, Scene, WINDOW_ROWS, Window, scene};
use leptos::{
    ev::{KeyboardEvent, MouseEvent},
    prelude::*,
};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::sight::{Seen, Sight};
use crate::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
};

/// A matrix as a figure has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    /// Row-major.
    pub values: Arc<[f32]>,
    /// Number of columns.
    pub columns: usize,
    /// What each row is; empty where rows have no names.
    pub row_labels: Arc<[String]>,
    /// What each column is; empty where columns have no names.
    pub column_labels: Arc<[String]>,
}

impl Matrix {
    /// A matrix whose rows and columns have no names.
    pub fn new(values: impl Into<Arc<[f32]>>, columns: usize) -> Self {
        Matrix {
            values: values.into(),
            columns,
            ..Matrix::default()
        }
    }

    /// The same with names for its rows.
    pub fn with_rows(self, labels: impl Into<Arc<[String]>>) -> Self {
        Matrix {
            row_labels: labels.into(),
            ..self
        }
    }

    /// The same with names for its columns.
    pub fn with_columns(self, labels: impl Into<Arc<[String]>>) -> Self {
        Matrix {
            column_labels: labels.into(),
            ..self
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.values.len() / self.columns.max(1)
    }

    /// A cell's value.
    pub fn value(&self, row: usize, column: usize) -> Option<f32> {
        let inside = column < self.columns;
        self.values
            .get(row * self.columns + column)
            .copied()
            .filter(|_| inside)
    }

    /// One row.
    pub fn row(&self, row: usize) -> &[f32] {
        let start = row * self.columns;
        self.values
            .get(start..start + self.columns)
            .unwrap_or_default()
    }

    /// The cell that many rows and columns from another, held inside; the first where there is none to
    /// move from.
    fn moved(&self, from: Option<(usize, usize)>, rows: isize, columns: isize) -> (usize, usize) {
        let (row, column) = from.map_or((0, 0), |(row, column)| {
            (
                row.saturating_add_signed(rows),
                column.saturating_add_signed(columns),
            )
        });
        (
            row.min(self.rows().saturating_sub(1)),
            column.min(self.columns.saturating_sub(1)),
        )
    }
}

/// A row and a column that stand out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// The row, in the colour of queries.
    pub row: Option<usize>,
    /// The column, in the colour of keys.
    pub column: Option<usize>,
}

/// A matrix. Of a large one, a window is shown and says so.
#[component]
pub fn MatrixFigure(
    /// Tells it from the figure's others, and for tests.
    id: &'static str,
    /// What it is called, as MathML or text; trusted HTML.
    #[prop(into)]
    symbol: String,
    /// What it is.
    #[prop(into)]
    name: Signal<String>,
    /// Its numbers.
    #[prop(into)]
    matrix: Signal<Option<Matrix>>,
    /// What its colours stand for.
    #[prop(default = Scale::Signed)]
    scale: Scale,
    /// The most rows that are shown at once.
    #[prop(default = WINDOW_ROWS)]
    rows_shown: usize,
    /// What stands out.
    #[prop(into, optional)]
    marks: Signal<Marks>,
    /// What the cell at a row and a column is made of.
    #[prop(into)]
    describe: Callback<(usize, usize), AnyView>,
) -> impl IntoView {
    let i18n = use_i18n();
    let figure = Figure {
        id,
        matrix: Memo::new(move |_| matrix.get()),
        origin: RwSignal::new((0, 0)),
        rows_shown,
        sight: Sight::expect(),
        describe,
    };
    let appearance = Appearance::expect();
    let picture = Memo::new(move |_| {
        let window = figure.window()?;
        figure.matrix.with(|matrix| {
            let matrix = matrix.as_ref()?;
            let theme = appearance.get();
            Some(scene(&matrix.values, matrix.columns, window, scale, theme))
        })
    });
    let shape = move || {
        let shape = |matrix: &Matrix| format!("{} × {}", matrix.rows(), matrix.columns);
        figure.matrix.with(|matrix| matrix.as_ref().map(shape))
    };
    view! {
        <figure class="matrix" data-testid="matrix" data-matrix=id>
            <figcaption class="matrix-name">
                <span class="matrix-symbol" inner_html=symbol></span>
                <span>{name}</span>
                <span class="matrix-shape number">{shape}</span>
            </figcaption>
            {move || match picture.get() {
                Some(picture) => {
                    view! { <Table figure name marks picture /> }.into_any()
                }
                None => view! { <p class="hint">{t!(i18n, chapters.waiting)}</p> }.into_any(),
            }}
            <WindowControls figure />
        </figure>
    }
}

/// One matrix on screen.
#[derive(Clone, Copy)]
struct Figure {
    id: &'static str,
    matrix: Memo<Option<Matrix>>,
    /// Where the window begins.
    origin: RwSignal<(usize, usize)>,
    rows_shown: usize,
    sight: Sight,
    describe: Callback<(usize, usize), AnyView>,
}

impl Figure {
    fn window(self) -> Option<Window> {
        let (row, column) = self.origin.get();
        self.matrix.with(|matrix| {
            let matrix = matrix.as_ref()?;
            let (rows, columns) = (matrix.rows(), matrix.columns);
            Some(Window::at(row, column, rows, columns, self.rows_shown))
        })
    }

    fn see(self, (row, column): (usize, usize)) {
        let matrix = self.id;
        self.sight.see(
            Seen {
                matrix,
                row,
                column,
            },
            self.describe,
        );
    }

    /// Moves the cell in sight, and the window with it.
    fn step(self, rows: isize, columns: isize) {
        let from = untrack(|| self.sight.of(self.id));
        let to = self
            .matrix
            .with_untracked(|matrix| Some(matrix.as_ref()?.moved(from, rows, columns)));
        if let (Some((row, column)), Some(window)) = (to, untrack(|| self.window())) {
            if !window.contains(row, column) {
                self.origin.set((
                    shifted(window.rows.start, window.rows.len(), row),
                    shifted(window.columns.start, window.columns.len(), column),
                ));
            }
            self.see((row, column));
        }
    }

    fn on_key(self, event: &KeyboardEvent) {
        match event.key().as_str() {
            "ArrowUp" => self.step(-1, 0),
            "ArrowDown" => self.step(1, 0),
            "ArrowLeft" => self.step(0, -1),
            "ArrowRight" => self.step(0, 1),
            "Escape" => self.sight.clear(),
            _ => return,
        }
        event.prevent_default();
    }
}

/// Where a window of `length` that began at `start` must begin to hold `place`.
fn shifted(start: usize, length: usize, place: usize) -> usize {
    if place < start {
        place
    } else if place >= start + length {
        place + 1 - length
    } else {
        start
    }
}

#[component]
fn Table(
    figure: Figure,
    name: Signal<String>,
    marks: Signal<Marks>,
    picture: Scene,
) -> impl IntoView {
    let i18n = use_i18n();
    let (width, height) = picture.size();
    let (cell_width, cell_height) = picture.cell;
    let window = picture.window.clone();
    let svg = picture.svg();
    let label = move || {
        let size = |matrix: &Matrix| (matrix.rows(), matrix.columns);
        let (rows, columns) = figure
            .matrix
            .with(|matrix| matrix.as_ref().map_or((0, 0), size));
        t_string!(
            i18n,
            chapters.matrix,
            name = name.get(),
            rows = rows,
            columns = columns
        )
    };
    let labels = |labels: &[String], places: std::ops::Range<usize>| {
        labels
            .get(places)
            .unwrap_or_default()
            .iter()
            .map(|label| view! { <span title=label.clone()>{label.clone()}</span> })
            .collect_view()
    };
    let (rows, columns) = figure.matrix.with_untracked(|matrix| {
        let matrix = matrix.as_ref();
        let rows = matrix.map_or([].as_slice(), |matrix| &matrix.row_labels);
        let columns = matrix.map_or([].as_slice(), |matrix| &matrix.column_labels);
        let wide = picture
            .cells
            .first()
            .is_some_and(|cell| cell.text.is_some());
        (
            (!rows.is_empty()).then(|| labels(rows, window.rows.clone())),
            // Names over cells of a few pixels cannot be read.
            (wide && !columns.is_empty()).then(|| labels(columns, window.columns.clone())),
        )
    });
    let style =
        format!("--cell-width: {cell_width}px; --cell-height: {cell_height}px; width: {width}px");
    view! {
        <div class="matrix-scroll">
            <div class="matrix-table" style=style>
                {columns.map(|labels| view! {
                    <div class="matrix-columns" aria-hidden="true">{labels}</div>
                })}
                {rows.map(|labels| view! {
                    <div class="matrix-rows" aria-hidden="true">{labels}</div>
                })}
                <div
                    class="matrix-field"
                    style=format!("width: {width}px; height: {height}px")
                    role="application"
                    tabindex="0"
                    aria-label=label
                    on:pointermove={
                        let picture = picture.clone();
                        move |event| point(figure, &picture, &event)
                    }
                    on:click=move |event| point(figure, &picture, &event)
                    on:focus=move |_| figure.step(0, 0)
                    on:keydown=move |event| figure.on_key(&event)
                >
                    <div inner_html=svg></div>
                    {move || marked(marks.get(), figure.sight.of(figure.id), &window)}
                </div>
            </div>
        </div>
    }
}

fn point(figure: Figure, picture: &Scene, event: &MouseEvent) {
    let field: Option<HtmlElement> = event
        .current_target()
        .and_then(|target| target.dyn_into().ok());
    if let Some(field) = field {
        let bounds = field.get_bounding_client_rect();
        let x = (f64::from(event.client_x()) - bounds.left()) / bounds.width();
        let y = (f64::from(event.client_y()) - bounds.top()) / bounds.height();
        if let Some(cell) = picture.cell_at(x, y) {
            figure.see(cell);
        }
    }
}

/// Frames around what stands out and what is in sight, as far as the window shows it.
fn marked(marks: Marks, cell: Option<(usize, usize)>, window: &Window) -> impl IntoView + use<> {
    let row = marks.row.and_then(|row| place(row, &window.rows));
    let column = marks
        .column
        .and_then(|column| place(column, &window.columns));
    let cell = cell.and_then(|(row, column)| {
        Some((place(row, &window.rows)?, place(column, &window.columns)?))
    });
    let style = |row: usize, column: usize| format!("--row: {row}; --column: {column}");
    (
        row.map(|row| view! { <div class="matrix-mark row" style=style(row, 0)></div> }),
        column
            .map(|column| view! { <div class="matrix-mark column" style=style(0, column)></div> }),
        cell.map(|(row, column)| {
            view! {
                <div class="matrix-mark cell" style=style(row, column)></div>
            }
        }),
    )
}

fn place(index: usize, range: &std::ops::Range<usize>) -> Option<usize> {
    range.contains(&index).then(|| index - range.start)
}

/// Which part of a large matrix is shown, and the way to the others.
#[component]
fn WindowControls(figure: Figure) -> impl IntoView {
    let i18n = use_i18n();
    let axis = move |columns: bool| {
        let window = figure.window()?;
        let (range, length) = figure.matrix.with(|matrix| {
            let matrix = matrix.as_ref()?;
            Some(match columns {
                true => (window.columns, matrix.columns),
                false => (window.rows, matrix.rows()),
            })
        })?;
        (range.len() < length).then_some((range, length))
    };
    let controls = move |columns: bool| {
        let (range, count) = axis(columns)?;
        let (from, to) = (range.start + 1, range.end);
        let words = if columns {
            t_string!(
                i18n,
                chapters.columns_window,
                from = from,
                to = to,
                count = count
            )
        } else {
            t_string!(
                i18n,
                chapters.rows_window,
                from = from,
                to = to,
                count = count
            )
        };
        let go = move |start: usize| {
            figure.origin.update(|(row, column)| {
                *(if columns { column } else { row }) = start;
            });
        };
        let (earlier, later) = (range.start.saturating_sub(range.len()), range.end);
        let (at_start, at_end) = (range.start == 0, range.end == count);
        Some(view! {
            <p class="matrix-window hint">
                <button
                    type="button"
                    class="window-button"
                    aria-disabled=at_start.to_string()
                    aria-label=t_string!(i18n, chapters.earlier)
                    on:click=move |_| go(earlier)
                >
                    "‹"
                </button>
                <span class="number">{words}</span>
                <button
                    type="button"
                    class="window-button"
                    aria-disabled=at_end.to_string()
                    aria-label=t_string!(i18n, chapters.later)
                    on:click=move |_| if !at_end { go(later) }
                >
                    "›"
                </button>
            </p>
        })
    };
    view! {
        {move || controls(false)}
        {move || controls(true)}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rows_and_values_are_found() {
        let matrix = Matrix::new(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3);
        assert_eq!(matrix.rows(), 2);
        assert_eq!(matrix.row(1), [4.0, 5.0, 6.0]);
        assert_eq!(matrix.value(0, 2), Some(3.0));
        assert_eq!(matrix.value(0, 3), None);
        assert_eq!(matrix.value(2, 0), None);
    }

    proptest! {
        #[test]
        fn moving_stays_inside(
            row in 0usize..9, column in 0usize..9, rows in -9isize..9, columns in -9isize..9
        ) {
            let matrix = Matrix::new(vec![0.0; 12], 4);
            let (row, column) = matrix.moved(Some((row, column)), rows, columns);
            prop_assert!(matrix.value(row, column).is_some());
        }

        #[test]
        fn a_shifted_window_holds_its_place(
            start in 0usize..50, length in 1usize..20, place in 0usize..100
        ) {
            let start = shifted(start, length, place);
            prop_assert!((start..start + length).contains(&place));
        }
    }
}
