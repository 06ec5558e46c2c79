//! What the chapter lets its readers predict.

use attention_trace::lessons::{Normalisation, ProductVariance};
use leptos::prelude::*;

use super::{
    exponential::{normalised, weighting},
    row::RowSelection,
};
use crate::{
    lessons::Asked,
    widgets::{Prompt, Values, numbers::decimal},
};

/// The widths that are compared: one four times the other.
const WIDTHS: (usize, usize) = (16, 64);

/// Four times as wide, twice the deviation.
#[component]
pub fn VariancePrompt(variance: Asked<ProductVariance>) -> impl IntoView {
    let values = Signal::derive(move || variance.answer.with(|made| deviations(made.as_ref()?)));
    view! { <Prompt question="ask-variance" answer="answer-variance" values /> }
}

fn deviations(variance: &ProductVariance) -> Option<Values> {
    let (narrow, wide) = WIDTHS;
    let root = |values: &[f32], width: usize| values.get(width - 1).map(|value| value.sqrt());
    let (a, b) = (
        root(&variance.unscaled, narrow)?,
        root(&variance.unscaled, wide)?,
    );
    let (c, d) = (
        root(&variance.scaled, narrow)?,
        root(&variance.scaled, wide)?,
    );
    Some(vec![
        ("narrow_width", narrow.to_string()),
        ("wide_width", wide.to_string()),
        ("narrow", decimal(a, 2)),
        ("wide", decimal(b, 2)),
        ("ratio", decimal(b / a, 2)),
        ("narrow_scaled", decimal(c, 2)),
        ("wide_scaled", decimal(d, 2)),
    ])
}

/// The weight of the largest score.
#[component]
pub fn WeightPrompt(row: RowSelection) -> impl IntoView {
    let values = Signal::derive(move || {
        let [unscaled, scaled] = row.both()?;
        let largest = |weights: &[f32]| weights.iter().copied().fold(0.0, f32::max);
        let width = row.width.get();
        Some(vec![
            ("unscaled", decimal(largest(&unscaled.weights), 4)),
            ("scaled", decimal(largest(&scaled.weights), 4)),
            ("width", width.to_string()),
            ("root", decimal((width as f32).sqrt(), 2)),
            ("entropy_unscaled", decimal(unscaled.entropy_bits, 2)),
            ("entropy_scaled", decimal(scaled.entropy_bits, 2)),
            ("most", decimal((unscaled.weights.len() as f32).log2(), 2)),
        ])
    });
    view! { <Prompt question="ask-weight" answer="answer-weight" values /> }
}

/// A constant added to every score.
#[component]
pub fn ShiftPrompt(row: RowSelection) -> impl IntoView {
    let made = normalised(row);
    let change = move |rule| {
        let found = made.answer.with(|made| weighting(made.as_ref()?, rule));
        let change = found.and_then(|found| found.shift_change);
        change.map_or_else(|| "–".to_owned(), |change| decimal(change, 3))
    };
    let values = Signal::derive(move || {
        made.answer.with(Option::is_some).then(|| {
            vec![
                ("exponential", change(Normalisation::Exponential)),
                ("square", change(Normalisation::Square)),
                ("shifted", change(Normalisation::Shifted)),
                ("rectified", change(Normalisation::Rectified)),
            ]
        })
    });
    view! { <Prompt question="ask-shift" answer="answer-shift" values /> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_are_roots_of_variances() {
        let variance = ProductVariance {
            pairs: 2,
            unscaled: (1..=64).map(|d| d as f32).collect(),
            scaled: vec![1.0; 64],
        };
        let values = deviations(&variance).unwrap();
        let value = |name| &values.iter().find(|(found, _)| *found == name).unwrap().1;
        assert_eq!(
            (value("narrow"), value("wide")),
            (&"4.00".to_owned(), &"8.00".to_owned())
        );
        assert_eq!(value("ratio"), "2.00");
    }
}
