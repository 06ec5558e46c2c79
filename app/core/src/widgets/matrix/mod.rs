//! A matrix with its name and shape: every cell can be pointed at or reached by arrow keys, and tells
//! what it is made of.

mod data;
mod described;
mod export;
mod figure;
mod table;
mod window;
mod window_controls;

use attention_figures::matrix::{Scale, WINDOW_ROWS, scene};
use leptos::prelude::*;

pub use self::{
    data::{Marks, Matrix},
    described::{numbers_described, weights_described},
    window::Windows,
};
use self::{figure::Figure, table::Table, window::Sight, window_controls::WindowControls};
use super::{FigureButton, inspector::Inspector};
use crate::{
    appearance::Appearance,
    i18n::{t, use_i18n},
};

/// A matrix. Of a large one, a window is shown and says so.
#[component]
pub fn MatrixFigure(
    /// The identifier of the matrix within the figure, also used by tests.
    id: &'static str,
    /// The symbol of the matrix, as MathML or text; trusted HTML.
    #[prop(into)]
    symbol: String,
    /// The name of the matrix in words.
    #[prop(into)]
    name: Signal<String>,
    #[prop(into)] matrix: Signal<Option<Matrix>>,
    /// The colour scale of the cells.
    #[prop(default = Scale::Signed)]
    scale: Scale,
    /// The most rows that are shown at once.
    #[prop(default = WINDOW_ROWS)]
    rows_shown: usize,
    /// The axis of its rows, where other matrices share it: their windows move together.
    #[prop(optional)]
    rows: &'static str,
    /// The axis of its columns, in the same way.
    #[prop(optional)]
    columns: &'static str,
    /// The row and the column that stand out.
    #[prop(into, optional)]
    marks: Signal<Marks>,
    /// Explains the computation of the cell at a row and a column.
    #[prop(into)]
    describe: Callback<(usize, usize), AnyView>,
) -> impl IntoView {
    let i18n = use_i18n();
    let matrix = Memo::new(move |_| matrix.get());
    let figure = Figure {
        id,
        matrix,
        sight: Sight::new(id, [rows, columns], matrix, rows_shown),
        inspector: Inspector::expect(),
        describe,
    };
    let appearance = Appearance::expect();
    let picture = Memo::new(move |_| {
        let window = figure.sight.window()?;
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
                <FigureButton name take=move || export::taken(i18n, figure, name, scale) />
            </figcaption>
            <Show
                when=move || picture.read().is_some()
                fallback=move || view! { <p class="hint">{t!(i18n, chapters.waiting)}</p> }
            >
                <Table figure name marks picture />
            </Show>
            <WindowControls figure />
        </figure>
    }
}
