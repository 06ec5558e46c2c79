//! The guesses of a model that writes no text for the masked words of its input.

use attention_trace::{Candidate, Guess};
use leptos::prelude::*;

use super::candidates::{NumberHeads, Numbers};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::token_name,
    steps::Steps,
    widgets::ScrollRegion,
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
    let tables = move || {
        let (guesses, tokens) = guesses.get()?;
        let tables = guesses.into_iter();
        Some(
            tables
                .map(|guess| view! { <GuessTable guess tokens /> })
                .collect_view(),
        )
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
                <p class="hint" data-testid="no-masks">{t!(i18n, decoding.no_masks, roberta = "<mask>")}</p>
            </Show>
            {tables}
        </div>
    }
}

#[component]
fn GuessTable(guess: Guess, tokens: usize) -> impl IntoView {
    let i18n = use_i18n();
    let place = guess.place + 1;
    let name = Signal::derive(move || {
        t_string!(i18n, decoding.masked_word, place = place, count = tokens)
    });
    let rows = guess.candidates.into_iter();
    let rows = rows.map(|candidate| view! { <GuessRow candidate /> });
    view! {
        <section class="candidates" aria-label=name data-testid="guess">
            <h2 class="panel-title">{name}</h2>
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
fn GuessRow(candidate: Candidate) -> impl IntoView {
    let name = token_name();
    let (id, token) = (candidate.token.id, candidate.token.clone());
    view! {
        <tr data-testid="guessed-token" data-token=id>
            <th scope="row"><span class="token">{move || name(&token)}</span></th>
            <Numbers candidate />
        </tr>
    }
}
