//! An offer of another model for a text in a language that the chosen model does not read. If the language is unsure
//! there is no offer.

mod latin;
mod script;

use leptos::{prelude::*, task::spawn_local};
use leptos_i18n::I18nContext;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use self::{
    latin::Latin,
    script::{Script, Unread, script_of},
};
use attention_core::{
    engine::Live,
    i18n::{Locale, t, t_string, use_i18n},
    names::model_name,
    state::{Language, Model, Task, ViewState},
};
use attention_protocol::OrLogged;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Read(Language),
    /// A language, given by its script, that none of the translators reads.
    Unread(Unread),
}

/// The offer; empty if the model reads the language of the text that ran.
#[component]
pub fn Offer() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let answered = live.select(|engine| engine.shown.as_ref()?.job.clone());
    let language = RwSignal::new(None);
    // An effect because the code that knows languages may have to be downloaded.
    Effect::new(move |_| {
        let Some(job) = answered.get() else { return };
        spawn_local(async move {
            // Without that code there is no offer, and nothing else is lost.
            let found = detect(job.text)
                .await
                .or_logged("loading the detection of languages")
                .flatten();
            language.try_set(found.filter(|&language| !reads(job.model, language)));
        });
    });
    let offered = Memo::new(move |_| match language.get()? {
        Found::Read(language) => Some(Model::translator_from(language)),
        Found::Unread(_) => None,
    });
    // It is about the text that ran, of which an emptied box asks nothing more.
    let is_asked = state.select(|view| !view.text.trim().is_empty());
    let is_there = Memo::new(move |_| is_asked.get() && language.get().is_some());
    let words = move || language.get().map(|language| words(i18n, language));
    let name_of = model_name();
    let name = move || offered.get().map(name_of);
    let take = move |_| {
        if let Some(model) = offered.get_untracked() {
            state.set_sibling(model);
            live.run();
        }
    };
    view! {
        <Show when=move || is_there.get()>
            <div class="notice" role="status" data-testid="offer">
                <p class="notice-text">{words}</p>
                <Show when=move || offered.get().is_some()>
                    <button type="button" class="plain-button" data-testid="take-offer" on:click=take>
                        {t!(i18n, shell.use_model)} " " {name}
                    </button>
                </Show>
            </div>
        </Show>
    }
}

/// Returns the words for the detected language.
fn words(i18n: I18nContext<Locale>, language: Found) -> String {
    match language {
        Found::Read(Language::English) => t_string!(i18n, shell.looks_english).to_owned(),
        Found::Read(Language::French) => t_string!(i18n, shell.looks_french).to_owned(),
        Found::Read(Language::Chinese) => t_string!(i18n, shell.looks_chinese).to_owned(),
        Found::Unread(script) => {
            t_string!(i18n, scripts.unread, script = script_name(i18n, script))
        }
    }
}

fn script_name(i18n: I18nContext<Locale>, script: Unread) -> &'static str {
    match script {
        Unread::Arabic => t_string!(i18n, scripts.arabic),
        Unread::Armenian => t_string!(i18n, scripts.armenian),
        Unread::Bengali => t_string!(i18n, scripts.bengali),
        Unread::Cyrillic => t_string!(i18n, scripts.cyrillic),
        Unread::Devanagari => t_string!(i18n, scripts.devanagari),
        Unread::Ethiopic => t_string!(i18n, scripts.ethiopic),
        Unread::Georgian => t_string!(i18n, scripts.georgian),
        Unread::Greek => t_string!(i18n, scripts.greek),
        Unread::Hebrew => t_string!(i18n, scripts.hebrew),
        Unread::Japanese => t_string!(i18n, scripts.japanese),
        Unread::Khmer => t_string!(i18n, scripts.khmer),
        Unread::Korean => t_string!(i18n, scripts.korean),
        Unread::Burmese => t_string!(i18n, scripts.burmese),
        Unread::Tamil => t_string!(i18n, scripts.tamil),
        Unread::Telugu => t_string!(i18n, scripts.telugu),
        Unread::Thai => t_string!(i18n, scripts.thai),
        Unread::Other => t_string!(i18n, scripts.other),
    }
}

/// Returns true if a model translates from a language; a model that does not translate accepts any.
fn reads(model: Model, language: Found) -> bool {
    match language {
        Found::Read(language) => model.reads(language),
        Found::Unread(_) => model.card().task != Task::Translate,
    }
}

/// Detects the language of a text. In the chunk of views that the first picture does not need.
#[wasm_split(views, fallible)]
fn detect(text: String) -> Result<Option<Found>, SplitLoaderError> {
    Ok(language_of(&text))
}

fn language_of(text: &str) -> Option<Found> {
    let language = match script_of(text)? {
        Script::Chinese => Language::Chinese,
        Script::Unread(script) => return Some(Found::Unread(script)),
        Script::Latin => match latin::language_of(text)? {
            Latin::English => Language::English,
            Latin::French => Language::French,
        },
    };
    Some(Found::Read(language))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRENCH: Found = Found::Read(Language::French);

    fn model(name: &str) -> Model {
        name.parse().unwrap()
    }

    #[test]
    fn the_pages_own_examples_are_known() {
        for model in Model::served().filter(|model| model.card().task == Task::Translate) {
            for text in model.card().examples {
                let Some(Found::Read(language)) = language_of(text) else {
                    panic!("{text}")
                };
                assert!(model.reads(language), "{text}");
            }
        }
    }

    #[test]
    fn the_beginning_of_a_french_sentence_and_japanese_are_not_english() {
        assert_eq!(language_of("Je suis o"), Some(FRENCH));
        let japanese = Found::Unread(Unread::Japanese);
        assert_eq!(language_of("私は学生です"), Some(japanese));
        for name in ["translator", "to-french", "universal"] {
            assert!(!reads(model(name), japanese));
        }
        assert!(reads(model("sentences"), japanese));
    }

    #[test]
    fn what_is_in_no_language_is_offered_nothing() {
        assert_eq!(language_of("12 + 3 = 15"), None);
        assert_eq!(language_of(""), None);
    }

    #[test]
    fn a_model_that_does_not_translate_reads_anything() {
        assert!(reads(model("sentences"), FRENCH));
        assert!(!reads(model("translator"), Found::Read(Language::English)));
        let chinese = Found::Read(Language::Chinese);
        for name in ["recurrent-luong", "universal"] {
            assert!(reads(model(name), FRENCH) && !reads(model(name), chinese));
        }
        assert!(!reads(model("to-chinese"), chinese));
    }
}
