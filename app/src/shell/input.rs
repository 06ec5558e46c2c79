//! What is asked: model, text, search.

use leptos::{ev::KeyboardEvent, prelude::*};
use leptos_i18n::I18nContext;

use super::{
    controls::Run,
    examples::Examples,
    models::ModelChoice,
    recent::RecentTexts,
    search::{SearchChoice, SearchNumbers},
};
use attention_core::{
    engine::Live,
    i18n::{Locale, t, t_string, use_i18n},
    state::{Excess, MOST_CHARACTERS, MOST_MARKS, Model, Recurrent, View, ViewState},
    widgets::numbers::grouped,
};

/// The identifier of the field with the sentence.
pub const TEXT_BOX: &str = "sentence";

/// The input panel.
#[component]
pub fn Input() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let chooses_search = state.select(View::chooses_search);
    // What a text that was typed or pasted last had too much of.
    let excess = RwSignal::new(None);
    view! {
        <div class="input-head">
            <ModelChoice />
            <Show when=move || chooses_search.get()>
                <SearchChoice />
            </Show>
            <div class="input-texts">
                <Show when=move || chooses_search.get()>
                    <SearchNumbers />
                </Show>
                <Examples />
                <RecentTexts />
            </div>
        </div>
        <div class="input-line">
            <TextBox excess />
            <Run />
        </div>
        <Show when=move || excess.read().is_some()>
            <p class="hint warning input-excess" role="alert" data-testid="text-too-much">
                {move || excess.get().map(|excess| too_much(i18n, excess))}
            </p>
        </Show>
        <p class="visually-hidden" id="input-keys">{t!(i18n, shell.input_keys)}</p>
    }
}

/// What a text has too much of, and how much of it there may be.
pub fn too_much(i18n: I18nContext<Locale>, excess: Excess) -> String {
    let words = |count: usize| grouped(count as u64);
    match excess {
        Excess::Characters(found) => {
            let (found, most) = (words(found), words(MOST_CHARACTERS));
            t_string!(i18n, shell.text_too_long, found = found, most = most)
        }
        Excess::Marks(found) => {
            let (found, most) = (words(found), words(MOST_MARKS));
            t_string!(i18n, shell.text_too_marked, found = found, most = most)
        }
    }
}

/// The box. Where there would be too much in it, it keeps what it had: a browser takes seconds to lay that out.
#[component]
fn TextBox(excess: RwSignal<Option<Excess>>) -> impl IntoView {
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
    // Another text than the one that was typed, such as an example.
    Effect::new(move |_| {
        text.track();
        excess.set(None);
    });
    view! {
        <textarea
            class="text-box"
            id=TEXT_BOX
            rows="1"
            spellcheck="false"
            data-testid="input"
            aria-label=move || t_string!(i18n, shell.input)
            aria-describedby="input-keys"
            placeholder=move || format!("{} {}", t_string!(i18n, shell.placeholder), reads())
            prop:value=text
            on:input:target=move |event| {
                let typed = event.target().value();
                excess.set(Excess::of(&typed));
                match excess.get_untracked() {
                    Some(_) => event.target().set_value(&text.get_untracked()),
                    None => state.set_text(typed),
                }
            }
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
