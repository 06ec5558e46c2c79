//! The same small model with each positional encoding: the measured scores, and a run of the visitor's own.

use attention_trace::{PlaceScore, positions::PositionalEncoding};
use leptos::prelude::*;

use super::{
    by_place::ByPlace,
    letters::Letters,
    scores::{Fetched, Scores, TRAINED_LETTERS, fetch_scores},
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::encoding_names,
    state::AddressValue,
    widgets::{
        Expected, Prompt, Prose, ScrollRegion, Values,
        numbers::{decimal, per_cent_sign},
    },
};

/// The figures on the effect of positional encodings beyond the trained lengths.
#[component]
pub fn Effect() -> impl IntoView {
    let i18n = use_i18n();
    let fetched = fetch_scores();
    // The figure shows why the scores are missing.
    let scores = move || fetched.with(|fetched| fetched.as_ref()?.as_ref().ok().cloned());
    let values = Signal::derive(move || {
        let furthest =
            scores().map_or_else(|| "…".to_owned(), |scores| scores.furthest().to_string());
        let longest = TRAINED_LETTERS.to_string();
        Some(vec![("longest", longest), ("furthest", furthest)])
    });
    view! {
        <Prose part="effect" values />
        {move || match fetched.get() {
            None => view! { <p class="hint">{t!(i18n, chapters.waiting)}</p> }.into_any(),
            Some(Err(reason)) => view! {
                <p class="notice problem">{t!(i18n, encodings.missing_scores, reason = reason)}</p>
            }
            .into_any(),
            Some(Ok(scores)) => view! { <Measured scores /> }.into_any(),
        }}
        <BeyondPrompt fetched />
        <Prose part="repeat" />
        <Prose part="run" />
        <Letters />
    }
}

#[component]
fn Measured(scores: Scores) -> impl IntoView {
    let plotted = scores.clone();
    view! {
        <ByPlace scores=Signal::derive(move || plotted.clone()) names=encoding_names() />
        <Table scores />
    }
}

/// Formats a score as in the table: share of correct letters, and the loss.
fn words(score: Option<PlaceScore>) -> String {
    score.map_or_else(
        || "–".to_owned(),
        |PlaceScore { loss, accuracy }| {
            let percent = decimal(100.0 * accuracy as f32, 1);
            let sign = per_cent_sign();
            format!("{percent}{sign} ({})", decimal(loss as f32, 2))
        },
    )
}

#[component]
fn Table(scores: Scores) -> impl IntoView {
    let i18n = use_i18n();
    let names = encoding_names();
    // The six were scored at the same lengths.
    let ranges: Vec<_> = scores
        .ranges(PositionalEncoding::None)
        .into_iter()
        .map(|((from, to), _)| view! { <th scope="col">{format!("{from}–{to}")}</th> })
        .collect();
    let row = move |encoding: PositionalEncoding| {
        let name = move || {
            let named = names
                .get()
                .into_iter()
                .find(|(other, _)| *other == encoding);
            named.map(|(_, name)| name)
        };
        let cells: Vec<_> = scores
            .ranges(encoding)
            .into_iter()
            .map(|(_, score)| view! { <td class="number">{words(score)}</td> })
            .collect();
        view! { <tr data-encoding=encoding.address_value()><th scope="row">{name}</th>{cells}</tr> }
    };
    let caption =
        move || t_string!(i18n, encodings.table_of_scores, trained = TRAINED_LETTERS).to_string();
    view! {
        <p class="hint" id="six-ways-caption">{caption}</p>
        <ScrollRegion class="lesson-table" test_id="six-ways" name=Signal::derive(caption)>
            <table aria-labelledby="six-ways-caption">
                <thead>
                    <tr><th scope="col">{t!(i18n, encodings.letters)}</th>{ranges}</tr>
                </thead>
                <tbody>{PositionalEncoding::ALL.map(row)}</tbody>
            </table>
        </ScrollRegion>
    }
}

/// Asks for those of the six models that still work beyond the trained lengths.
#[component]
fn BeyondPrompt(fetched: ReadSignal<Option<Fetched>>) -> impl IntoView {
    let values = Signal::derive(move || {
        // The figure shows why the scores are missing.
        fetched.with(|fetched| beyond_training(fetched.as_ref()?.as_ref().ok()?))
    });
    let i18n = use_i18n();
    let names = encoding_names();
    let expected = Signal::derive(move || {
        // The figure shows why the scores are missing.
        let known = fetched.with(|fetched| known_beyond(fetched.as_ref()?.as_ref().ok()?))?;
        let names = names.get().into_iter();
        Some(Expected::OneOf {
            right: (0..known.len()).filter(|&way| known[way]).collect(),
            options: names.map(|(_, name)| name).collect(),
        })
    });
    view! {
        <Prompt
            question="ask-beyond"
            answer="answer-beyond"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.beyond).to_owned())
            expected
        />
    }
}

/// The accuracy right after the last trained letter from which an encoding counts as still solving the task.
const KNOWN: f64 = 0.9;

/// Returns one boolean for each of the six models, true if it still solves the task right after the last trained
/// letter; `None` if one was not scored there.
fn known_beyond(scores: &Scores) -> Option<Vec<bool>> {
    let known = |way| Some(right_after(scores, way)?.accuracy >= KNOWN);
    PositionalEncoding::ALL.into_iter().map(known).collect()
}

/// The score in the first range beyond the letters of training.
fn right_after(scores: &Scores, encoding: PositionalEncoding) -> Option<PlaceScore> {
    let ranges = scores.ranges(encoding);
    let mut beyond = ranges
        .iter()
        .filter(|((from, _), _)| *from > TRAINED_LETTERS);
    beyond.next()?.1
}

/// The accuracy of each of the six right after the last letter of training, and in the last range that of
/// the two that can single out a distance; `None` if one was not scored there.
fn beyond_training(scores: &Scores) -> Option<Values> {
    let percent = |score: Option<PlaceScore>| {
        let accuracy = decimal(100.0 * score?.accuracy as f32, 1);
        Some(accuracy + per_cent_sign())
    };
    let right_after = |encoding: PositionalEncoding| {
        let score = right_after(scores, encoding);
        Some((encoding.address_value(), percent(score)?))
    };
    let furthest = |encoding| scores.ranges(encoding).last().copied();
    let ((from, to), t5) = furthest(PositionalEncoding::T5)?;
    let (_, rope) = furthest(PositionalEncoding::Rope)?;
    let mut values: Values = PositionalEncoding::ALL
        .into_iter()
        .map(right_after)
        .collect::<Option<_>>()?;
    values.extend([
        ("far", format!("{from}–{to}")),
        ("t5_far", percent(t5)?),
        ("rope_far", percent(rope)?),
    ]);
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::positions::scores::tests::served;

    #[test]
    fn the_published_scores_fall_further_out() {
        let values = beyond_training(&served()).unwrap();
        let value = |name: &str| &values.iter().find(|(key, _)| *key == name).unwrap().1;
        assert_eq!(value("rope"), "99.8 %");
        assert_eq!(value("far"), "65–128");
        assert_eq!(value("t5_far"), "77.9 %");
        assert_eq!(value("rope_far"), "90.7 %");
    }

    #[test]
    fn a_score_is_written_in_percent_and_nats() {
        let score = PlaceScore {
            loss: 5.466,
            accuracy: 0.0508,
        };
        assert_eq!(words(Some(score)), "5.1 % (5.47)");
        assert_eq!(words(None), "–");
    }
}
