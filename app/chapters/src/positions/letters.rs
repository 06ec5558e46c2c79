//! The task on the visitor's own letters: which the model on screen names rightly.

use crate::positions::parameters::Encodings;
use attention_trace::{Array, Excerpt, Site, Slice, Token, Trace, TraceMeta};
use leptos::prelude::*;

use super::{needs_model::NeedsModel, scores::TRAINED_LETTERS};
use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    state::{Model, Task, ViewState},
    widgets::label,
};

/// The number of places back to the letter that the model must name.
pub const BACK: usize = 3;

/// A letter that the model read.
#[derive(Clone, Debug, PartialEq)]
struct Named {
    /// The letter that the model named.
    letter: String,
    /// The letter [`BACK`] places before it, and true if the model gave that the largest logit; `None` at the first
    /// few.
    sought: Option<(String, bool)>,
}

/// Returns true if no entry in a row of logits is larger than this one; `None` if there is no such entry.
fn is_largest(logits: &[f32], id: usize) -> Option<bool> {
    let of = logits.get(id)?;
    Some(logits.iter().all(|logit| logit <= of))
}

/// Returns the number of the target's typed tokens, without the start token.
fn typed(trace: &Trace) -> usize {
    let first = trace
        .decoding
        .as_ref()
        .and_then(|decoding| decoding.steps.first());
    first.map_or(trace.meta.target.len().saturating_sub(1), |step| step.row)
}

/// Returns every typed letter with its names; `None` if the logits do not match the tokens.
fn named(meta: &TraceMeta, typed: usize, logits: &Array) -> Option<Vec<Named>> {
    let letters = meta.target.get(1..1 + typed)?;
    let one = |(place, letter): (usize, &Token)| {
        let row = logits.row(&[place + 1])?;
        let sought = match place.checked_sub(BACK).map(|place| &letters[place]) {
            Some(sought) => Some((label(sought), is_largest(row, sought.id as usize)?)),
            None => None,
        };
        Some(Named {
            letter: label(letter),
            sought,
        })
    };
    letters.iter().enumerate().map(one).collect()
}

/// Returns the number of rightly named letters, and of all letters to be named, at places from `from` up to `to`.
fn count(named: &[Named], from: usize, to: usize) -> (usize, usize) {
    let places = named.iter().take(to).skip(from);
    let scored = places.filter_map(|named| named.sought.as_ref());
    let right = scored.clone().filter(|(_, right)| *right).count();
    (right, scored.count())
}

/// The letters, shown if one of the six models is on screen.
#[component]
pub fn Letters() -> impl IntoView {
    let is_here = ViewState::expect().select(|view| view.model.card().task == Task::Letters);
    let encoding = ViewState::expect().select(|view| view.chapters.of::<Encodings>().encoding);
    move || match is_here.get() {
        true => view! { <NamedLetters /> }.into_any(),
        false => {
            view! { <NeedsModel model=Model::with_positions(Task::Letters, encoding.get()) /> }
                .into_any()
        }
    }
}

#[component]
fn NamedLetters() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    // Another model's trace may be on screen until the task's run has finished.
    let is_of_task = live.select(|engine| {
        let shown = engine.shown.as_ref();
        let job = shown.and_then(|shown| shown.job.as_ref());
        job.is_some_and(|job| job.model.card().task == Task::Letters)
    });
    let logits = live.part(move || {
        let count = live.trace()?.meta.target.len();
        is_of_task
            .get()
            .then(|| Excerpt::new(Site::LOGITS, Slice::Rows(0, count)))
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
    let letter = move |Named { letter, sought }: Named| {
        let (class, words) = match sought {
            None => ("named-letter", letter.clone()),
            Some((sought, true)) => (
                "named-letter right",
                t_string!(
                    i18n,
                    encodings.letter_right,
                    letter = letter.clone(),
                    sought = sought
                ),
            ),
            Some((sought, false)) => (
                "named-letter wrong",
                t_string!(
                    i18n,
                    encodings.letter_wrong,
                    letter = letter.clone(),
                    sought = sought
                ),
            ),
        };
        view! { <li class=class title=words.clone() aria-label=words>{letter}</li> }
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
    use attention_trace::config::LlamaConfig;

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
            spec: LlamaConfig::default().spec(),
            source: vec![],
            target: [start].into_iter().chain(letters).collect(),
            pieces: attention_trace::Pieces::default(),
        }
    }

    #[test]
    fn a_letter_is_right_where_the_one_three_back_has_the_largest_logit() {
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
        assert_eq!(named[3].sought, Some(("a".to_owned(), true)));
        assert_eq!(named[4].sought, Some(("b".to_owned(), false)));
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
