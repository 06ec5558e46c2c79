//! Predictions that the chapter asks of its readers.

use attention_trace::lessons::{Normalisation, ProductVariance};
use leptos::prelude::*;

use super::{
    exponential::{normalised, weighting},
    row::RowSelection,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    lessons::Asked,
    widgets::{
        Expected, Prompt, Values,
        numbers::{decimal, share_of_one},
    },
};

/// The widths that are compared: one four times the other.
const WIDTHS: (usize, usize) = (16, 64);

/// Asks for the deviation at four times the width, which is twice as large.
#[component]
pub fn VariancePrompt(variance: Asked<ProductVariance>) -> impl IntoView {
    let values = Signal::derive(move || variance.answer.with(|made| deviations(made.as_ref()?)));
    let i18n = use_i18n();
    let expected = Signal::derive(move || {
        let [narrow, wide] = variance
            .answer
            .with(|made| roots(&made.as_ref()?.unscaled))?;
        Some(Expected::about(wide / narrow, 0.05))
    });
    view! {
        <Prompt
            question="ask-variance"
            answer="answer-variance"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.ratio).to_owned())
            expected
        />
    }
}

/// The standard deviations at both widths.
fn roots(variances: &[f32]) -> Option<[f32; 2]> {
    let (narrow, wide) = WIDTHS;
    let root = |width: usize| variances.get(width - 1).map(|value| value.sqrt());
    Some([root(narrow)?, root(wide)?])
}

fn deviations(variance: &ProductVariance) -> Option<Values> {
    let (narrow, wide) = WIDTHS;
    let [a, b] = roots(&variance.unscaled)?;
    let [c, d] = roots(&variance.scaled)?;
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
    let i18n = use_i18n();
    let largest = |weights: &[f32]| weights.iter().copied().fold(0.0, f32::max);
    let expected = Signal::derive(move || {
        let [unscaled, _] = row.both()?;
        Some(Expected::about(largest(&unscaled.weights), 0.05))
    });
    let values = Signal::derive(move || {
        let [unscaled, scaled] = row.both()?;
        let width = row.width.get();
        Some(vec![
            ("unscaled", share_of_one(largest(&unscaled.weights), 4)),
            ("scaled", share_of_one(largest(&scaled.weights), 4)),
            ("width", width.to_string()),
            ("root", decimal((width as f32).sqrt(), 2)),
            ("entropy_unscaled", decimal(unscaled.entropy_bits, 2)),
            ("entropy_scaled", decimal(scaled.entropy_bits, 2)),
            ("most", decimal((unscaled.weights.len() as f32).log2(), 2)),
        ])
    });
    view! {
        <Prompt
            question="ask-weight"
            answer="answer-weight"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.weight).to_owned())
            expected
        />
    }
}

/// A constant added to every score.
#[component]
pub fn ShiftPrompt(row: RowSelection) -> impl IntoView {
    let made = normalised(row);
    let i18n = use_i18n();
    let shift_change = move |rule| {
        let found = made.answer.with(|made| weighting(made.as_ref()?, rule));
        found?.shift_change
    };
    let change =
        move |rule| shift_change(rule).map_or_else(|| "–".to_owned(), |change| decimal(change, 3));
    let expected = Signal::derive(move || {
        let change: f32 = shift_change(Normalisation::Exponential)?;
        Some(Expected::Truth(change > 5e-4))
    });
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
    view! {
        <Prompt
            question="ask-shift"
            answer="answer-shift"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.softmax).to_owned())
            expected
        />
    }
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
