//! What is asked: model, text, search.

use leptos::{ev::KeyboardEvent, prelude::*};

use super::{
    controls::Run, examples::Examples, models::ModelChoice, recent::RecentTexts,
    search::SearchChoice,
};
use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    state::{Model, Recurrent, View, ViewState},
};

/// The input panel.
#[component]
pub fn Input() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let chooses_search = state.select(View::chooses_search);
    view! {
        <div class="input-head">
            <ModelChoice />
            <Show when=move || chooses_search.get()>
                <SearchChoice />
            </Show>
            <div class="input-texts">
                <Examples />
                <RecentTexts />
            </div>
        </div>
        <div class="input-line">
            <TextBox />
            <Run />
        </div>
        <p class="visually-hidden" id="input-keys">{t!(i18n, shell.input_keys)}</p>
    }
}

#[component]
fn TextBox() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let state = ViewState::expect();
    let text = state.select(|view| view.text.clone());
    let model = state.select(|view| view.model);
    let reads = move || match model.get() {
        Model::Translator => t_string!(i18n, shell.translator_hint),
        Model::FromEnglish(_) | Model::Recurrent(Recurrent::Chinese) => {
            t_string!(i18n, shell.from_english_hint)
        }
        Model::Sentences => t_string!(i18n, shell.sentences_hint),
        Model::Recurrent(_) | Model::Universal => t_string!(i18n, shell.recurrent_hint),
        Model::Positions(_) => t_string!(i18n, shell.positions_hint),
        Model::Poems(_) => t_string!(i18n, shell.poems_hint),
        Model::Trained(_) => t_string!(i18n, shell.trained_hint),
    };
    view! {
        <textarea
            class="text-box"
            rows="1"
            spellcheck="false"
            data-testid="input"
            aria-label=move || t_string!(i18n, shell.input)
            aria-describedby="input-keys"
            placeholder=move || format!("{} {}", t_string!(i18n, shell.placeholder), reads())
            prop:value=text
            on:input:target=move |event| state.set_text(event.target().value())
            on:keydown=move |event| {
                if sends(&event) {
                    event.prevent_default();
                    live.run();
                }
            }
        ></textarea>
    }
}

/// Enter sends; with Shift it breaks the line, and while an input method composes, as for
/// Chinese, it picks a candidate.
fn sends(event: &KeyboardEvent) -> bool {
    event.key() == "Enter" && !event.shift_key() && !event.is_composing()
}
