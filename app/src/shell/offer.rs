//! A text in a language that the chosen model does not read: says so, and offers the model that does.

use leptos::{prelude::*, task::spawn_local};
use wasm_split_helpers::{SplitLoaderError, wasm_split};
use whatlang::{Detector, Lang};

use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    names::model_name,
    state::{Model, Recurrent, Target, ViewState},
};

/// Below this confidence a short text is as likely English as French: whatlang takes "I don't know what you want." for
/// French with 0.11, and "Il pleut" with 0.13. Of 165,453 pairs of Tatoeba's, 93.7 % of the English sentences are found
/// to be English so, and 3.8 % of the French ones are taken for it.
const UNSURE: f64 = 0.12;

/// A language that one of the translators reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    English,
    French,
    Chinese,
}

/// The offer; nothing where the model reads the language of the text that ran.
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
            let found = detect(job.text).await.ok().flatten();
            language.try_set(found.filter(|&language| !reads(job.model, language)));
        });
    });
    let offered = Memo::new(
        move |_| match (language.get()?, answered.read().as_ref()?.model) {
            (Language::English, _) => Some(Model::FromEnglish(Target::French)),
            (_, Model::FromEnglish(_) | Model::Recurrent(_) | Model::Universal) => {
                Some(Model::Translator)
            }
            _ => None,
        },
    );
    let words = move || match language.get() {
        Some(Language::French) => t_string!(i18n, shell.looks_french),
        Some(Language::Chinese) => t_string!(i18n, shell.looks_chinese),
        _ => t_string!(i18n, shell.looks_english),
    };
    let name_of = model_name();
    let name = move || offered.get().map(name_of);
    let take = move |_| {
        if let Some(model) = offered.get_untracked() {
            state.set_sibling(model);
            live.run();
        }
    };
    view! {
        <Show when=move || offered.get().is_some()>
            <div class="notice" role="status" data-testid="offer">
                <p class="notice-text">{words}</p>
                <button type="button" class="plain-button" data-testid="take-offer" on:click=take>
                    {t!(i18n, shell.use_model)} " " {name}
                </button>
            </div>
        </Show>
    }
}

/// Whether a model translates from a language; one that does not translate takes what it gets.
fn reads(model: Model, language: Language) -> bool {
    match model {
        Model::Translator => language != Language::English,
        Model::FromEnglish(_) | Model::Recurrent(Recurrent::Chinese) => {
            language == Language::English
        }
        Model::Recurrent(_) | Model::Universal => language == Language::French,
        Model::Sentences | Model::Positions(_) | Model::Poems(_) | Model::Trained(_) => true,
    }
}

/// The language of a text. In the chunk of views that the first picture does not need.
#[wasm_split(views, fallible)]
fn detect(text: String) -> Result<Option<Language>, SplitLoaderError> {
    Ok(language_of(&text))
}

fn language_of(text: &str) -> Option<Language> {
    let detector = Detector::with_allowlist(vec![Lang::Eng, Lang::Fra, Lang::Cmn]);
    let info = detector.detect(text)?;
    Some(match info.lang() {
        Lang::Cmn => Language::Chinese,
        Lang::Fra if info.confidence() >= UNSURE => Language::French,
        _ => Language::English,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_own_examples_are_known() {
        for model in [
            Model::FromEnglish(Target::French),
            Model::Recurrent(Recurrent::Chinese),
        ] {
            for text in model.examples() {
                assert_eq!(language_of(text), Some(Language::English), "{text}");
            }
        }
        for text in Model::Translator.examples() {
            assert_ne!(language_of(text), Some(Language::English), "{text}");
        }
        for model in [Model::Recurrent(Recurrent::Fixed), Model::Universal] {
            for text in model.examples() {
                assert_eq!(language_of(text), Some(Language::French), "{text}");
            }
        }
    }

    #[test]
    fn what_is_in_no_language_is_offered_nothing() {
        assert_eq!(language_of("12 + 3 = 15"), None);
        assert_eq!(language_of(""), None);
    }

    #[test]
    fn a_model_that_does_not_translate_reads_anything() {
        assert!(reads(Model::Sentences, Language::French));
        assert!(!reads(Model::Translator, Language::English));
        let recurrent = Model::Recurrent(Recurrent::Luong);
        for model in [recurrent, Model::Universal] {
            assert!(reads(model, Language::French) && !reads(model, Language::Chinese));
        }
        assert!(!reads(
            Model::FromEnglish(Target::Chinese),
            Language::Chinese
        ));
    }
}
