//! The guesses of a model that writes no text for the masked words of its input.

use attention_trace::{Candidate, Guess, Token};
use leptos::prelude::*;

use super::{
    candidates::{NumberHeads, Numbers},
    export::candidates_taken,
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::token_name,
    state::ViewState,
    steps::Steps,
    widgets::{FigureButton, ScrollRegion},
};

/// The candidates for each masked word; without masked words, an explanation of masking.
#[component]
pub fn Guesses() -> impl IntoView {
    let i18n = use_i18n();
    let steps = Steps::expect();
    let guesses = Memo::new(move |_| {
        let trace = steps.trace()?;
        Some((trace.guesses.clone(), trace.meta.source.len()))
    });
    let mask = Memo::new(move |_| {
        steps
            .trace()
            .and_then(|trace| trace.meta.pieces.mask.clone())
    });
    let masked = ViewState::expect().select(|view| view.masked.clone());
    let tables = move || {
        let (guesses, tokens) = guesses.get()?;
        let masked = masked.get();
        let are_known = masked.len() == guesses.len();
        let hidden = move |index: usize| masked.get(index).filter(|_| are_known).cloned();
        let tables = guesses.into_iter().enumerate();
        Some(
            tables
                .map(|(index, guess)| {
                    let hidden = hidden(index).unwrap_or_default();
                    view! { <GuessTable guess tokens hidden /> }
                })
                .collect_view(),
        )
    };
    let explained = move || {
        let mask = mask.get()?;
        Some(t_string!(i18n, decoding.no_masks, mask = mask.text))
    };
    let is_empty = move || {
        let guesses = guesses.read();
        guesses
            .as_ref()
            .is_none_or(|(guesses, _)| guesses.is_empty())
    };
    view! {
        <div data-testid="guesses">
            <p class="hint">{t!(i18n, decoding.guesses_text)}</p>
            <Show when=is_empty>
                <p class="hint" data-testid="no-masks">{explained}</p>
            </Show>
            {tables}
        </div>
    }
}

/// True if a token is a word, whatever its capitals, which most tokenizers of such models drop.
fn is_word(token: &Token, word: &str) -> bool {
    let written = token.text.trim_start_matches('▁');
    written.to_lowercase() == word.to_lowercase() && !word.is_empty()
}

#[component]
fn GuessTable(
    guess: Guess,
    tokens: usize,
    /// The word behind the mask; empty if none is known.
    hidden: String,
) -> impl IntoView {
    let i18n = use_i18n();
    let place = guess.place + 1;
    let name = Signal::derive(move || {
        t_string!(i18n, decoding.masked_word, place = place, count = tokens)
    });
    let taken = candidates_taken();
    let take = {
        let candidates = guess.candidates.clone();
        move || {
            let sentence = t_string!(i18n, export.hidden, place = place);
            Some(taken(&candidates, None, guess.place, sentence))
        }
    };
    let rows = guess.candidates.into_iter();
    let rows = rows.map(move |candidate| {
        let is_hidden = is_word(&candidate.token, &hidden);
        view! { <GuessRow candidate is_hidden /> }
    });
    view! {
        <section class="candidates" aria-label=name data-testid="guess">
            <div class="figure-name">
                <h2 class="panel-title">{name}</h2>
                <FigureButton name take />
            </div>
            <ScrollRegion name>
                <table class="candidate-table">
                    <thead>
                        <tr>
                            <th scope="col">{t!(i18n, decoding.token)}</th>
                            <NumberHeads />
                        </tr>
                    </thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </ScrollRegion>
        </section>
    }
}

#[component]
fn GuessRow(
    candidate: Candidate,
    /// True if the candidate is the word behind the mask.
    is_hidden: bool,
) -> impl IntoView {
    let i18n = use_i18n();
    let name = token_name();
    let (id, token) = (candidate.token.id, candidate.token.clone());
    view! {
        <tr data-testid="guessed-token" data-token=id>
            <th scope="row">
                <span class="token">{move || name(&token)}</span>
                {is_hidden.then(|| view! {
                    <span class="argmax taken" data-testid="hidden-word">{t!(i18n, decoding.hidden_word)}</span>
                })}
            </th>
            <Numbers candidate />
        </tr>
    }
}
