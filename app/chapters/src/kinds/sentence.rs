//! The sentence that the three models read: its fields, the masked word, and the start.

use attention_core::{
    i18n::{t, t_string, use_i18n},
    state::ViewState,
};
use leptos::prelude::*;

use super::{
    context::{KindsContext, PAIRS},
    parameters::Kinds,
};

/// The fields of both languages, the sentences that the page offers, the words, and the button.
#[component]
pub fn Sentence() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = KindsContext::expect();
    let run = state.select(|view| view.chapters.of::<Kinds>().run);
    let set = move |change: &dyn Fn(&mut Kinds)| {
        state.update_chapters(|chapters| change(chapters.of_mut::<Kinds>()));
    };
    let offered = PAIRS.map(|(text, source)| {
        view! {
            <button
                type="button"
                class="link-button"
                lang="en"
                data-testid="kinds-example"
                on:click=move |_| set(&|kinds| {
                    kinds.text = Some(text.to_owned());
                    kinds.source = Some(source.to_owned());
                })
            >
                {text}
            </button>
        }
    });
    let field = move |is_source: bool| {
        let value = move || {
            let (text, source) = context.pair.get();
            if is_source { source } else { text }
        };
        let name = move || match is_source {
            true => t_string!(i18n, kinds.source),
            false => t_string!(i18n, kinds.text),
        };
        view! {
            <label class="judged-text">
                <span>{name}</span>
                <input
                    class="text-box"
                    type="text"
                    lang=if is_source { "fr" } else { "en" }
                    autocomplete="off"
                    spellcheck="false"
                    data-testid=if is_source { "kinds-source" } else { "kinds-text" }
                    prop:value=value
                    on:change:target=move |event| {
                        let typed = event.target().value();
                        set(&|kinds| match is_source {
                            true => kinds.source = Some(typed.clone()),
                            false => kinds.text = Some(typed.clone()),
                        });
                    }
                />
            </label>
        }
    };
    view! {
        <div class="kinds-sentence">
            {field(false)}
            {field(true)}
            <div class="hop-examples" role="group" aria-label=move || t_string!(i18n, kinds.examples)>
                {offered}
            </div>
            <Words />
            <button
                type="button"
                class="plain-button"
                data-testid="kinds-run"
                aria-pressed=move || run.get().to_string()
                on:click=move |_| set(&|kinds| kinds.run = !kinds.run)
            >
                {move || match run.get() {
                    true => t!(i18n, kinds.rest).into_any(),
                    false => t!(i18n, kinds.run).into_any(),
                }}
            </button>
        </div>
    }
}

/// The words of the sentence, of which one is masked.
#[component]
fn Words() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = KindsContext::expect();
    let masked = Memo::new(move |_| context.cloze.get().map(|cloze| cloze.word));
    let word = move |(place, word): (usize, String)| {
        view! {
            <button
                type="button"
                class="chip token-chip"
                lang="en"
                data-testid="kinds-word"
                disabled={place == 0}
                aria-pressed=move || (masked.get() == Some(place)).to_string()
                on:click=move |_| state.update_chapters(|chapters| {
                    chapters.of_mut::<Kinds>().word = place;
                })
            >
                {word}
            </button>
        }
    };
    let words = move || {
        let (text, _) = context.pair.get();
        let words: Vec<(usize, String)> = text
            .split_whitespace()
            .map(str::to_owned)
            .enumerate()
            .collect();
        words.into_iter().map(word).collect_view()
    };
    view! {
        <div class="position-controls" role="group" aria-label=move || t_string!(i18n, kinds.words)>
            <span class="hint">{t!(i18n, kinds.words)}</span>
            {words}
        </div>
        <p class="notice" class:is-hidden=move || masked.get().is_some() role="status">
            {t!(i18n, kinds.too_short)}
        </p>
    }
}
