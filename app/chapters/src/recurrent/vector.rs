//! The one vector between encoder and decoder.

use std::sync::Arc;

use leptos::prelude::*;

use super::context::RecurrentContext;
use attention_core::{
    i18n::{t, t_string, use_i18n},
    widgets::{
        inspector::Inspected,
        matrix::{Matrix, MatrixFigure},
        numbers::decimal,
    },
};

/// The number of values in a line.
pub const LINE: usize = 64;

/// A vector in lines, so that all of it is in sight; each is named by the numbers it holds.
pub fn in_lines(vector: &[f32]) -> Matrix {
    let columns = vector.len().clamp(1, LINE);
    let last = |line: &[f32], first: usize| first + line.len();
    let labels = vector.chunks(columns).enumerate().map(|(line, values)| {
        let first = line * columns;
        format!("{}–{}", first + 1, last(values, first))
    });
    Matrix {
        row_labels: labels.collect::<Vec<_>>().into(),
        ..Matrix::new(Arc::<[f32]>::from(vector), columns)
    }
}

/// The vector, of a model that has nothing else.
#[component]
pub fn OneVector() -> impl IntoView {
    let i18n = use_i18n();
    let context = RecurrentContext::expect();
    let (sizes, vector) = (context.vector_sizes(), context.vector());
    let matrix = Memo::new(move |_| vector.with(|vector| Some(in_lines(vector.as_ref()?))));
    let words = move || {
        let (tokens, numbers) = sizes.get()?;
        Some(t_string!(
            i18n,
            recurrent.vector_words,
            tokens = tokens,
            numbers = numbers
        ))
    };
    let describe = Callback::new(move |(line, column): (usize, usize)| {
        let words = matrix.with(|matrix| {
            let matrix = matrix.as_ref()?;
            Some(t_string!(
                i18n,
                recurrent.number_of_vector,
                place = line * matrix.columns + column + 1,
                value = decimal(matrix.value(line, column)?, 4)
            ))
        });
        words
            .map(|words| view! { <p class="number">{words}</p> })
            .into_any()
    });
    let is_there = Memo::new(move |_| sizes.get().is_some());
    view! {
        <section class="lesson-figure" data-testid="one-vector">
            <Show
                when=move || is_there.get()
                fallback=move || view! { <p class="hint">{t!(i18n, recurrent.vector_elsewhere)}</p> }
            >
                <p class="lesson-reading number" data-testid="vector-words">{words}</p>
                <Inspected>
                    <MatrixFigure
                        id="vector"
                        symbol="<i>C</i>"
                        name=Signal::derive(move || t_string!(i18n, recurrent.vector_name).to_owned())
                        matrix
                        describe
                    />
                </Inspected>
            </Show>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_is_shown_in_lines_without_losing_a_number() {
        let vector: Vec<f32> = (0..256).map(|x| x as f32).collect();
        let matrix = in_lines(&vector);
        assert_eq!((matrix.rows(), matrix.columns), (4, 64));
        assert_eq!(matrix.value(3, 63), Some(255.0));
        assert_eq!(
            matrix.row_labels.to_vec(),
            ["1–64", "65–128", "129–192", "193–256"]
        );
    }

    #[test]
    fn a_short_vector_is_one_line() {
        let matrix = in_lines(&[1.0, 2.0]);
        assert_eq!((matrix.rows(), matrix.columns), (1, 2));
        assert_eq!(in_lines(&[]).rows(), 0);
    }
}
