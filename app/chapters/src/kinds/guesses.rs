//! The guesses of the three models for the masked word, each by what it can read.

use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::token_name,
    widgets::{ScrollRegion, numbers::percent},
};
use attention_trace::{Candidate, Trace};
use leptos::prelude::*;

use super::{
    context::{Kind, KindsContext},
    maps::KindName,
};

/// The number of guesses that are shown.
const SHOWN: usize = 5;

/// Returns a model's candidates for the masked word; `before` is the number of tokens that the translator was given.
fn candidates(kind: Kind, trace: &Trace, before: Option<usize>) -> Option<Vec<Candidate>> {
    let step = |index: usize| {
        let steps = &trace.decoding.as_ref()?.steps;
        Some(steps.get(index)?.candidates.clone())
    };
    match kind {
        Kind::EncoderOnly => Some(trace.guesses.first()?.candidates.clone()),
        Kind::DecoderOnly => step(0),
        Kind::EncoderDecoder => step(before?),
    }
}

/// True if a token is the masked word, or its beginning.
fn begins(token: &str, hidden: &str) -> bool {
    let token = token.trim_start_matches(['▁', 'Ġ', ' ']).to_lowercase();
    !token.is_empty() && hidden.to_lowercase().starts_with(&token)
}

/// The guesses, a column for each model.
#[component]
pub fn Guesses() -> impl IntoView {
    let i18n = use_i18n();
    let context = KindsContext::expect();
    let name = Signal::derive(move || t_string!(i18n, kinds.guesses).to_owned());
    let columns = Kind::ALL.map(|kind| {
        Memo::new(move |_| {
            let engine = context.engine(kind);
            let trace = engine.is_current().then(|| engine.trace()).flatten()?;
            candidates(
                kind,
                &trace,
                context.before.get().map(|tokens| tokens.len()),
            )
        })
    });
    let rows = move || {
        let row = |rank: usize| {
            let cells = columns.map(|column| view! { <Guess column rank /> });
            view! { <tr>{cells}</tr> }
        };
        (0..SHOWN).map(row).collect_view()
    };
    let reads = move || {
        let cloze = context.cloze.get()?;
        let (_, source) = context.pair.get();
        Some(view! {
            <tr class="kinds-reads">
                <td>{cloze.masked.clone()}</td>
                <td>{format!("{} …", cloze.left)}</td>
                <td>{format!("{source} | {} …", cloze.left)}</td>
            </tr>
        })
    };
    view! {
        <ScrollRegion class="lesson-table" test_id="kinds-guesses" name>
            <table aria-label=name>
                <thead>
                    <tr>{Kind::ALL.map(|kind| view! { <th scope="col"><KindName kind /></th> })}</tr>
                </thead>
                <tbody>
                    {reads}
                    {rows}
                </tbody>
            </table>
        </ScrollRegion>
        <p class="hint">{t!(i18n, kinds.bold)}</p>
    }
}

/// A guess with its probability; bold where it is the masked word or its beginning.
#[component]
fn Guess(column: Memo<Option<Vec<Candidate>>>, rank: usize) -> impl IntoView {
    let context = KindsContext::expect();
    let name = token_name();
    let guess = move || column.read().as_ref()?.get(rank).cloned();
    let is_hidden = move || {
        let cloze = context.cloze.read();
        let hidden = cloze.as_ref().map(|cloze| cloze.hidden.as_str());
        guess().is_some_and(|guess| hidden.is_some_and(|hidden| begins(&guess.token.text, hidden)))
    };
    let words = move || {
        let Candidate {
            token,
            log_probability,
            ..
        } = guess()?;
        let probability = percent(log_probability.exp(), 1);
        Some(view! {
            <span class="token">{name(&token)}</span>
            " "
            <span class="number">{probability}</span>
        })
    };
    view! { <td class:is-clear=is_hidden data-testid="kinds-guess">{words}</td> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_masked_word_is_known_by_its_beginning() {
        assert!(begins("▁cat", "cat") && begins("▁Cat", "cat") && begins("Ġca", "cats"));
        assert!(!begins("▁dog", "cat") && !begins("▁", "cat") && !begins("▁cats", "cat"));
    }
}
