//! The candidates, from which the visitor chooses two to compare by a click each.

use attention_trace::Token;
use leptos::prelude::*;

use super::context::LensContext;
use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::token_name,
    widgets::ScrollRegion,
};

/// A row for each candidate, with a button for either word.
#[component]
pub fn PairChoice() -> impl IntoView {
    let i18n = use_i18n();
    let context = LensContext::expect();
    let candidates = context.candidates;
    let name = Signal::derive(move || t_string!(i18n, lens.candidates).to_owned());
    view! {
        <ScrollRegion class="lesson-table" test_id="lens-candidates" name>
            <table class="lens-candidates">
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, lens.candidate)}</th>
                        <th scope="col">{t!(i18n, lens.this_word)}</th>
                        <th scope="col">{t!(i18n, lens.that_word)}</th>
                    </tr>
                </thead>
                <tbody>
                    {move || candidates
                        .get()
                        .into_iter()
                        .enumerate()
                        .map(|(place, token)| view! { <CandidateRow place token /> })
                        .collect_view()}
                </tbody>
            </table>
        </ScrollRegion>
    }
}

#[component]
fn CandidateRow(place: usize, token: Token) -> impl IntoView {
    let name = token_name();
    let text = Signal::derive(move || name(&token));
    view! {
        <tr data-testid="lens-candidate">
            <th scope="row"><span class="token">{text}</span></th>
            <td><WordButton place text is_word=true /></td>
            <td><WordButton place text is_word=false /></td>
        </tr>
    }
}

#[component]
fn WordButton(place: usize, text: Signal<String>, is_word: bool) -> impl IntoView {
    let i18n = use_i18n();
    let context = LensContext::expect();
    let is_chosen = Memo::new(move |_| {
        let (word, against) = context.pair.get();
        place == if is_word { word } else { against }
    });
    let label = move || match is_word {
        true => t_string!(i18n, lens.choose_word, word = text.get()),
        false => t_string!(i18n, lens.choose_against, word = text.get()),
    };
    view! {
        <button
            type="button"
            class="lesson-choice"
            data-choice=if is_word { "word" } else { "against" }
            aria-pressed=move || is_chosen.get().to_string()
            aria-label=label
            on:click=move |_| context.choose_word(place, is_word)
        >
            {if is_word { "+" } else { "−" }}
        </button>
    }
}
