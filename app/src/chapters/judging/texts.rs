//! Where the visitor types the two texts that are compared.

use attention_trace::judging::Tokenization;
use leptos::prelude::*;

use super::pair::{Judged, MOST_TOKENS};
use crate::{
    i18n::{t, t_string, use_i18n},
    state::{Judging, ViewState},
    widgets::Segmented,
};

/// Both texts, what counts as a token, and the way back to the lecture's letters.
#[component]
pub fn Texts(judged: Judged) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let is_lecture = state.select(|view| view.chapters.judging.is_lecture());
    let is_too_long = move || judged.pair.with(Option::is_none);
    view! {
        <section class="lesson-figure" data-testid="judged-texts">
            <TextField
                name=Signal::derive(move || t_string!(i18n, judging.reference).to_owned())
                test_id="judged-reference"
                text=|judging| &judging.reference
                set=|judging, text| judging.reference = text
            />
            <TextField
                name=Signal::derive(move || t_string!(i18n, judging.candidate).to_owned())
                test_id="judged-candidate"
                text=|judging| &judging.candidate
                set=|judging, text| judging.candidate = text
            />
            <div class="position-controls">
                <Segmented
                    label=Signal::derive(move || t_string!(i18n, judging.tokens).to_owned())
                    options=Signal::derive(move || vec![
                        (Tokenization::Characters, t_string!(i18n, judging.characters).to_owned()),
                        (Tokenization::Words, t_string!(i18n, judging.words).to_owned()),
                    ])
                    value=judged.tokenization
                    choose=move |tokenization| state.update_chapters(|chapters| {
                        chapters.judging.tokenization = tokenization;
                    })
                />
                <button
                    type="button"
                    class="plain-button"
                    data-testid="judged-lecture"
                    disabled=is_lecture
                    on:click=move |_| state.update_chapters(|chapters| {
                        chapters.judging.use_lecture();
                    })
                >
                    {t!(i18n, judging.lecture)}
                </button>
            </div>
            <Show when=is_too_long>
                <p class="notice" role="status" data-testid="judged-too-long">
                    {move || t_string!(i18n, judging.too_long, most = MOST_TOKENS)}
                </p>
            </Show>
        </section>
    }
}

#[component]
fn TextField(
    /// What the text is.
    name: Signal<String>,
    test_id: &'static str,
    text: fn(&Judging) -> &String,
    set: fn(&mut Judging, String),
) -> impl IntoView {
    let state = ViewState::expect();
    let value = state.select(move |view| text(&view.chapters.judging).clone());
    view! {
        <label class="judged-text">
            <span>{name}</span>
            <input
                class="text-box"
                type="text"
                autocomplete="off"
                spellcheck="false"
                data-testid=test_id
                prop:value=value
                on:input:target=move |event| {
                    let text = event.target().value();
                    state.update_chapters(|chapters| set(&mut chapters.judging, text));
                }
            />
        </label>
    }
}
