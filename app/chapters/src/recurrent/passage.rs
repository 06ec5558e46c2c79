//! The capacity of one vector: the course notes' long text, in French, and a short one.

use leptos::prelude::*;

use super::scores::COMPARED;

use attention_core::{
    i18n::{t, use_i18n},
    navigation::ViewLink,
    state::View,
};

/// A clause of the long text.
const SHORT: &str = "Aujourd'hui, l'empire est divisé en trois.";

/// The beginning of Zhuge Liang's memorial of 227, which the notes quote; one sentence, so that it is read as a whole.
const LONG: &str = "Le défunt empereur est mort avant d'avoir achevé son œuvre ; aujourd'hui, l'empire est divisé en trois, \
    notre province est épuisée, et nous ne savons pas si nous survivrons à cette année ; pourtant, les fonctionnaires de la \
    cour travaillent sans repos, et les soldats aux frontières oublient leur propre vie, parce qu'ils se souviennent de la \
    bonté de l'empereur et veulent vous la rendre.";

/// The ways to both.
#[component]
pub fn Passage() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <ViewLink change=|view: &mut View| read(view, SHORT) class="own-sentence" test_id="short-text">
            {t!(i18n, recurrent.short_text)}
        </ViewLink>
        <ViewLink change=|view: &mut View| read(view, LONG) class="own-sentence" test_id="long-text">
            {t!(i18n, recurrent.long_text)}
        </ViewLink>
    }
}

/// Runs a text in the chapter's model, or in the one-vector model if the model on screen reads no French.
fn read(view: &mut View, text: &str) {
    if !COMPARED.contains(&view.model) {
        view.use_model(COMPARED[0]);
    }
    view.use_text(text.to_owned());
}

#[cfg(test)]
mod tests {
    use attention_core::state::Model;

    use super::*;

    #[test]
    fn both_texts_are_one_sentence_each_for_a_model_that_reads_french() {
        for text in [SHORT, LONG] {
            let mut view = View {
                model: "sentences".parse().unwrap(),
                ..View::default()
            };
            read(&mut view, text);
            assert_eq!(view.model.to_string(), "recurrent-fixed");
            assert_eq!(view.model.sentences(&view.text), [text]);
            let mut view = View::default();
            read(&mut view, text);
            assert_eq!(view.model, Model::default());
        }
        assert!(LONG.split_whitespace().count() > 8 * SHORT.split_whitespace().count());
    }
}
