//! The same small model with each way to know positions: what was measured, and a run of one's own.

use attention_trace::{PlaceScore, positions::PositionalEncoding};
use leptos::prelude::*;

use super::{
    by_place::ByPlace,
    letters::Letters,
    scores::{Fetched, Scores, TRAINED_LETTERS, fetch_scores},
};
use crate::{
    chapters::{
        prompt::Prompt,
        text::{Prose, Values},
    },
    i18n::{t, t_string, use_i18n},
    numbers::decimal,
    shell::encoding_names,
    state::Word,
};

/// All of it.
#[component]
pub fn Effect() -> impl IntoView {
    let i18n = use_i18n();
    let fetched = fetch_scores();
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

/// A score as the table has it: share of letters named rightly, and the loss.
fn words(score: Option<PlaceScore>) -> String {
    score.map_or_else(
        || "–".to_owned(),
        |PlaceScore { loss, accuracy }| {
            let percent = decimal(100.0 * accuracy as f32, 1);
            format!("{percent} % ({})", decimal(loss as f32, 2))
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
    let row = move |way: PositionalEncoding| {
        let name = move || {
            let named = names.get().into_iter().find(|(other, _)| *other == way);
            named.map(|(_, name)| name)
        };
        let cells: Vec<_> = scores
            .ranges(way)
            .into_iter()
            .map(|(_, score)| view! { <td class="number">{words(score)}</td> })
            .collect();
        view! { <tr data-way=way.word()><th scope="row">{name}</th>{cells}</tr> }
    };
    view! {
        <p class="hint" id="six-ways-caption">
            {move || t_string!(i18n, encodings.table_of_scores, trained = TRAINED_LETTERS)}
        </p>
        <div class="lesson-table" data-testid="six-ways">
            <table aria-labelledby="six-ways-caption">
                <thead>
                    <tr><th scope="col">{t!(i18n, encodings.letters)}</th>{ranges}</tr>
                </thead>
                <tbody>{PositionalEncoding::ALL.map(row)}</tbody>
            </table>
        </div>
    }
}

/// Which of the six go on beyond training.
#[component]
fn BeyondPrompt(fetched: ReadSignal<Option<Fetched>>) -> impl IntoView {
    let values = Signal::derive(move || -> Option<Values> {
        fetched.with(|fetched| {
            let scores = fetched.as_ref()?.as_ref().ok()?;
            let beyond = |way: PositionalEncoding| {
                let ranges = scores.ranges(way).into_iter();
                let beyond = ranges.map(|((from, _), score)| (from, score));
                let (_, score) = beyond
                    .into_iter()
                    .find(|&(from, _)| from > TRAINED_LETTERS)?;
                let percent = decimal(100.0 * score?.accuracy as f32, 1);
                Some((way.word(), format!("{percent} %")))
            };
            PositionalEncoding::ALL.into_iter().map(beyond).collect()
        })
    });
    view! { <Prompt question="ask-beyond" answer="answer-beyond" values /> }
}

#[cfg(test)]
mod tests {
    use super::*;

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
