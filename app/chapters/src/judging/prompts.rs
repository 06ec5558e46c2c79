//! The chapter's questions to predict before a figure shows the answer.

use attention_trace::judging::Overlap;
use leptos::prelude::*;

use super::{
    pair::{Judged, Pair},
    written::of,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    widgets::{Expected, Prompt, Values},
};

/// Returns the clipped overlap of the candidate's tokens with all references.
fn clipped(pair: &Pair) -> Overlap {
    pair.bleu().overlaps[0]
}

/// Returns the overlap of the candidate's tokens with all references.
fn unigrams(pair: &Pair) -> Overlap {
    pair.rouge_n(1)
}

fn common(pair: &Pair) -> Overlap {
    pair.rouge_l().1
}

/// Returns the expected answer for a share, with 1 % tolerance; `None` if there is no share.
fn share(share: Option<f64>) -> Option<Expected> {
    Some(Expected::about(share? as f32, 0.01))
}

/// Asks for the precision of the candidate written twice: clipping does not reward repetition.
#[component]
pub fn RepeatPrompt(judged: Judged) -> impl IntoView {
    let i18n = use_i18n();
    let expected = Signal::derive(move || {
        judged.with(|pair| share(clipped(&pair.with_candidate_twice()).precision()))?
    });
    let values = Signal::derive(move || judged.with(repeated));
    view! {
        <Prompt
            question="ask-twice"
            answer="answer-twice"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.precision).to_owned())
            expected
        />
    }
}

fn repeated(pair: &Pair) -> Values {
    let (once, twice) = (clipped(pair), clipped(&pair.with_candidate_twice()));
    vec![
        ("before", of(once.precision())),
        ("after", of(twice.precision())),
        ("counted", twice.matched.to_string()),
        ("total", twice.candidate.to_string()),
    ]
}

/// Asks for the recall with both texts swapped: precision becomes recall.
#[component]
pub fn SwapPrompt(judged: Judged) -> impl IntoView {
    let i18n = use_i18n();
    let expected =
        Signal::derive(move || judged.with(|pair| share(unigrams(&pair.swapped()).recall()))?);
    let values = Signal::derive(move || judged.with(swapped));
    view! {
        <Prompt
            question="ask-swap"
            answer="answer-swap"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.recall).to_owned())
            expected
        />
    }
}

fn swapped(pair: &Pair) -> Values {
    let (before, after) = (
        unigrams(&pair.with_first_reference()),
        unigrams(&pair.swapped()),
    );
    vec![
        ("recall", of(before.recall())),
        ("after", of(after.recall())),
        ("f", of(Some(after.f_measure()))),
    ]
}

/// Asks for the recall of the reversed candidate: ROUGE-L depends on the order.
#[component]
pub fn ReversePrompt(judged: Judged) -> impl IntoView {
    let i18n = use_i18n();
    let expected = Signal::derive(move || {
        judged.with(|pair| share(common(&pair.with_candidate_reversed()).recall()))?
    });
    let values = Signal::derive(move || judged.with(reversed));
    view! {
        <Prompt
            question="ask-reverse"
            answer="answer-reverse"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.recall).to_owned())
            expected
        />
    }
}

fn reversed(pair: &Pair) -> Values {
    let turned = pair.with_candidate_reversed();
    vec![
        ("before", of(common(pair).recall())),
        ("after", of(common(&turned).recall())),
        ("one", of(unigrams(&turned).recall())),
    ]
}

#[cfg(test)]
mod tests {
    use super::{super::pair::tests::lecture, *};

    fn value(values: &Values, name: &str) -> String {
        let found = values.iter().find(|(other, _)| *other == name);
        found.unwrap().1.clone()
    }

    #[test]
    fn the_lectures_answers() {
        let pair = lecture();
        let twice = repeated(&pair);
        assert_eq!(
            (value(&twice, "before"), value(&twice, "after")),
            ("0.800".into(), "0.400".into())
        );
        let swapped = swapped(&pair);
        assert_eq!(
            (value(&swapped, "recall"), value(&swapped, "after")),
            ("0.667".into(), "0.800".into())
        );
        let reversed = reversed(&pair);
        // Of A, B, C, D, E, F and D, C, B, B, A one token is common in this order.
        assert_eq!(
            (value(&reversed, "after"), value(&reversed, "one")),
            ("0.167".into(), "0.667".into())
        );
    }

    #[test]
    fn a_share_of_nothing_is_not_asked_for() {
        let empty = Pair {
            reference: vec![],
            more: vec![],
            candidate: vec![],
        };
        assert_eq!(share(unigrams(&empty).precision()), None);
    }
}
