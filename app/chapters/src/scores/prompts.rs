//! Predictions that the chapter asks of its readers.

use attention_trace::lessons::{Attended, Memory, ScoreFunction};
use leptos::prelude::*;

use super::memory::{ScoresSelection, ask, find};
use attention_core::{
    i18n::{t_string, use_i18n},
    widgets::{Expected, Prompt, Values, numbers::decimal},
};

/// The factor by which the query becomes longer.
const LONGER: f32 = 3.0;

/// Returns the attention with the query multiplied by `factor`.
fn with_query_times(selection: ScoresSelection, factor: f32) -> Memo<Option<Vec<Attended>>> {
    let memory = Memo::new(move |_| {
        let memory = selection.memory.get()?;
        Some(Memory {
            query: memory.query.iter().map(|value| value * factor).collect(),
            ..memory
        })
    });
    ask(selection.source, memory, || (0, 0)).answer
}

/// The smallest and the largest weight by a function.
fn extremes(made: &[Attended], function: ScoreFunction) -> Option<(f32, f32)> {
    let weights = &find(made, function)?.weights;
    let lowest = weights.iter().copied().fold(f32::INFINITY, f32::min);
    let highest = weights.iter().copied().fold(0.0, f32::max);
    Some((lowest, highest))
}

/// Returns the smallest and the largest weight as text.
fn range(made: &[Attended], function: ScoreFunction) -> Option<(String, String)> {
    let (lowest, highest) = extremes(made, function)?;
    Some((decimal(lowest, 3), decimal(highest, 3)))
}

/// The query at the origin.
#[component]
pub fn ZeroPrompt(selection: ScoresSelection) -> impl IntoView {
    let made = with_query_times(selection, 0.0);
    let values = Signal::derive(move || made.with(|made| zero_values(made.as_ref()?)));
    let i18n = use_i18n();
    let expected = Signal::derive(move || {
        let (lowest, highest) = made.with(|made| extremes(made.as_ref()?, ScoreFunction::Dot))?;
        Some(Expected::Truth(highest - lowest > 1e-3))
    });
    view! {
        <Prompt
            question="ask-zero"
            answer="answer-zero"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.dot).to_owned())
            expected
        />
    }
}

fn zero_values(made: &[Attended]) -> Option<Values> {
    let (_, even) = range(made, ScoreFunction::Dot)?;
    let (additive_low, additive_high) = range(made, ScoreFunction::Additive)?;
    let (perceptron_low, perceptron_high) = range(made, ScoreFunction::Perceptron)?;
    Some(vec![
        ("even", even),
        ("additive_low", additive_low),
        ("additive_high", additive_high),
        ("perceptron_low", perceptron_low),
        ("perceptron_high", perceptron_high),
    ])
}

/// Asks for the effect of a longer query.
#[component]
pub fn LongerPrompt(selection: ScoresSelection) -> impl IntoView {
    let made = with_query_times(selection, LONGER);
    let values = Signal::derive(move || {
        let now = selection.asked.answer.get()?;
        made.with(|made| longer_values(&now, made.as_ref()?))
    });
    let i18n = use_i18n();
    let expected = Signal::derive(move || {
        let (_, highest) = made.with(|made| extremes(made.as_ref()?, ScoreFunction::Dot))?;
        Some(Expected::about(highest, 0.05))
    });
    view! {
        <Prompt
            question="ask-longer"
            answer="answer-longer"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.longer).to_owned())
            expected
        />
    }
}

fn longer_values(now: &[Attended], long: &[Attended]) -> Option<Values> {
    let largest = |made, function| Some(range(made, function)?.1);
    Some(vec![
        ("dot", largest(now, ScoreFunction::Dot)?),
        ("dot_long", largest(long, ScoreFunction::Dot)?),
        ("additive", largest(now, ScoreFunction::Additive)?),
        ("additive_long", largest(long, ScoreFunction::Additive)?),
    ])
}

#[cfg(test)]
mod tests {
    use attention_trace::lessons::ReadOut;

    use super::*;

    #[test]
    fn a_range_is_of_one_functions_weights() {
        let made = |function, weights: [f32; 2]| Attended {
            function,
            scores: vec![0.0; 2],
            hidden: None,
            weights: weights.to_vec(),
            read: ReadOut {
                soft: Vec::new(),
                largest: 0,
                draws: Vec::new(),
                mean: Vec::new(),
            },
        };
        let all = [
            made(ScoreFunction::Dot, [0.5, 0.5]),
            made(ScoreFunction::Additive, [0.1, 0.9]),
        ];
        let found = range(&all, ScoreFunction::Additive);
        assert_eq!(found, Some(("0.100".to_owned(), "0.900".to_owned())));
        assert_eq!(zero_values(&all), None);
    }
}
