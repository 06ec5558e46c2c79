//! The block-diagonal matrix that turns a vector.

use crate::positions::parameters::Encodings;
use attention_trace::positions::rotation_matrix;
use leptos::prelude::*;

use super::turn::{BASE, QueryPlace};
use attention_core::{
    i18n::{t_string, use_i18n},
    state::ViewState,
    widgets::{
        Prose,
        inspector::Inspected,
        matrix::{Matrix, MatrixFigure},
        numbers::decimal,
    },
};

/// The width of the vector.
const WIDTH: usize = 8;

/// The matrix at the query's position.
#[component]
pub fn Block() -> impl IntoView {
    let i18n = use_i18n();
    let place = ViewState::expect().select(|view| view.chapters.of::<Encodings>().query);
    let matrix = Signal::derive(move || {
        let values = rotation_matrix(place.get() as isize, WIDTH, BASE);
        Some(Matrix::new(values, WIDTH))
    });
    let describe = Callback::new(move |(row, column)| {
        let words = made_of(place.get(), row, column);
        view! { <p class="number" data-testid="made-of">{words}</p> }.into_any()
    });
    view! {
        <Prose part="block" />
        <section class="lesson-figure" data-testid="rotation-matrix">
            <QueryPlace test_id="block-place" />
            <Inspected>
                <MatrixFigure
                    id="rotation"
                    symbol="R(m)"
                    name=Signal::derive(move || t_string!(i18n, encodings.rotation).to_owned())
                    matrix
                    describe
                />
            </Inspected>
        </section>
    }
}

/// Returns the formula of a cell.
fn made_of(place: usize, row: usize, column: usize) -> String {
    let matrix = rotation_matrix(place as isize, WIDTH, BASE);
    let value = matrix.get(row * WIDTH + column).copied().unwrap_or(0.0);
    let (pair, other) = (row / 2, column / 2);
    if pair != other {
        return format!("{row}, {column}: 0");
    }
    let function = match (row % 2, column % 2) {
        (0, 1) => "−sin",
        (1, 0) => "sin",
        _ => "cos",
    };
    let value = decimal(value, 4);
    format!(
        "{function}({place} · {BASE}^(−{}/{WIDTH})) = {value}",
        2 * pair
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_says_what_it_is_made_of() {
        assert_eq!(made_of(2, 0, 1), "−sin(2 · 10000^(−0/8)) = −0.9093");
        assert_eq!(made_of(2, 3, 3), "cos(2 · 10000^(−2/8)) = 0.9801");
        assert_eq!(made_of(2, 0, 4), "0, 4: 0");
    }
}
