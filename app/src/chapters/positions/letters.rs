//! The task on the visitor's own letters: which the model on screen names rightly.

use attention_trace::{Array, Excerpt, Slice, Trace, TraceMeta};
use leptos::prelude::*;

use super::{needs_model::NeedsModel, scores::TRAINED_LETTERS};
use crate::{
    engine::Live,
    heads::label,
    i18n::{t, t_string, use_i18n},
    numbers::decimal,
    state::{Model, ViewState},
};

/// How many places back the letter stands that is to be named.
pub const BACK: usize = 3;

/// A letter that the model read, and what it named there.
#[derive(Clone, Debug, PartialEq)]
struct Named {
    /// The letter read.
    letter: String,
    /// The letter [`BACK`] places before it, and the probability the model gave it; `None` at the first
    /// few.
    sought: Option<(String, f32)>,
    /// Whether it had the largest probability.
    right: bool,
}

/// The probability of an entry of a row of logits, and whether it is the largest.
fn probability(logits: &[f32], id: usize) -> Option<(f32, bool)> {
    let of = *logits.get(id)?;
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = logits.iter().map(|logit| (logit - largest).exp()).sum();
    Some(((of - largest).exp() / sum, of >= largest))
}

/// How many of the target's tokens were typed, the start token not counted.
fn typed(trace: &Trace) -> usize {
    let first = trace
        .decoding
        .as_ref()
        .and_then(|decoding| decoding.steps.first());
    first.map_or(trace.meta.target.len().saturating_sub(1), |step| step.row)
}

/// Every typed letter; `None` where the logits are not those of the tokens.
fn named(meta: &TraceMeta, typed: usize, logits: &Array) -> Option<Vec<Named>> {
    let letters = meta.target.get(1..1 + typed)?;
    let one = |(place, letter): (usize, &attention_trace::Token)| {
        let row = logits.row(&[place + 1])?;
        let sought = place.checked_sub(BACK).map(|place| &letters[place]);
        let scored = match sought {
            Some(sought) => Some((sought, probability(row, sought.id as usize)?)),
            None => None,
        };
        Some(Named {
            letter: label(letter).to_owned(),
            right: scored.is_some_and(|(_, (_, is_largest))| is_largest),
            sought: scored.map(|(sought, (p, _))| (label(sought).to_owned(), p)),
        })
    };
    letters.iter().enumerate().map(one).collect()
}

/// Rightly named letters among those where one is to be named, of places from `from` up to `to`.
fn count(named: &[Named], from: usize, to: usize) -> (usize, usize) {
    let places = named.iter().take(to).skip(from);
    let scored = places.filter(|named| named.sought.is_some());
    (
        scored.clone().filter(|named| named.right).count(),
        scored.count(),
    )
}

/// The letters, where one of the six models is on screen.
#[component]
pub fn Letters() -> impl IntoView {
    let is_here = ViewState::expect().select(|view| matches!(view.model, Model::Recall(_)));
    let way = ViewState::expect().select(|view| view.chapters.encodings.way);
    move || match is_here.get() {
        true => view! { <NamedLetters /> }.into_any(),
        false => view! { <NeedsModel way=way.get() /> }.into_any(),
    }
}

#[component]
fn NamedLetters() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let logits = live.part(move || {
        let trace = live.trace()?;
        // Of a trace that stands here still while the model of the task is on its way, nothing is asked.
        let is_recall = trace.meta.source.is_empty();
        is_recall.then(|| Excerpt::new("logits", Slice::Rows(0, trace.meta.target.len())))
    });
    let named = Memo::new(move |_| {
        let trace = live.trace()?;
        named(&trace.meta, typed(&trace), &logits.get()?.0)
    });
    let summary = move || {
        named.with(|named| {
            let named = named.as_ref()?;
            let (right, all) = count(named, 0, TRAINED_LETTERS);
            let (right_beyond, all_beyond) = count(named, TRAINED_LETTERS, named.len());
            Some(t_string!(
                i18n,
                encodings.named,
                right = right,
                all = all,
                right_beyond = right_beyond,
                all_beyond = all_beyond,
                trained = TRAINED_LETTERS
            ))
        })
    };
    let letter = move |named: Named| {
        let words = match named.sought {
            None => named.letter.clone(),
            Some((sought, p)) => t_string!(
                i18n,
                encodings.letter_named,
                letter = named.letter.clone(),
                sought = sought,
                p = decimal(100.0 * p, 1)
            ),
        };
        let class = match (words.len() > named.letter.len(), named.right) {
            (false, _) => "named-letter",
            (true, true) => "named-letter right",
            (true, false) => "named-letter wrong",
        };
        view! { <li class=class title=words.clone() aria-label=words>{named.letter}</li> }
    };
    view! {
        <p class="lesson-reading number" role="status" data-testid="named-summary">{summary}</p>
        <ol class="named-letters" data-testid="named-letters">
            {move || named.get().unwrap_or_default().into_iter().map(letter).collect_view()}
        </ol>
        <Show when=move || named.with(Option::is_none)>
            <p class="hint">{t!(i18n, chapters.waiting)}</p>
        </Show>
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::{Family, Token};

    use super::*;

    fn meta(letters: &str) -> TraceMeta {
        let token = |id: u32, text: char| Token {
            id,
            text: text.to_string(),
            unknown: false,
        };
        let start = token(0, '⊢');
        let letters = letters.chars().map(|c| token(c as u32 - 'a' as u32 + 1, c));
        TraceMeta {
            family: Family::Llama,
            source: vec![],
            target: [start].into_iter().chain(letters).collect(),
            encoder_layers: 0,
            decoder_layers: 1,
            heads: 1,
            d_model: 2,
            positions: None,
            rope_theta: None,
            buckets: None,
        }
    }

    #[test]
    fn a_letter_is_right_where_the_one_three_back_is_most_probable() {
        let meta = meta("abcde");
        let mut data = vec![0.0; 6 * 6];
        // At d, the fourth letter, a; at e, wrongly, c.
        data[4 * 6 + 1] = 5.0;
        data[5 * 6 + 3] = 5.0;
        let logits = Array {
            shape: vec![6, 6],
            data,
        };
        let named = named(&meta, 5, &logits).unwrap();
        assert_eq!(named[2].sought, None);
        assert!(named[3].right && !named[4].right);
        let (sought, p) = named[3].sought.clone().unwrap();
        assert_eq!(sought, "a");
        assert!((p - 5f32.exp() / (5f32.exp() + 5.0)).abs() < 1e-6);
        assert_eq!(count(&named, 0, 5), (1, 2));
        assert_eq!(count(&named, 4, 5), (0, 1));
    }

    #[test]
    fn logits_of_other_tokens_are_refused() {
        let logits = Array {
            shape: vec![2, 6],
            data: vec![0.0; 12],
        };
        assert_eq!(named(&meta("abcde"), 5, &logits), None);
    }
}
