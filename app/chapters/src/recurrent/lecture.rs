//! The lecture's example of an alignment, from English to Chinese: by the recurrent model that reads English, in its own words
//! and in the lecture's, and by the Transformer.

use leptos::prelude::*;

use attention_core::{
    i18n::{t, use_i18n},
    navigation::ViewLink,
    state::{Language, Model, Tab, View},
};

/// The example sentence of the lecture.
const LECTURE: &str = "Today the empire is divided in three.";

/// 今天, 天下, 三分 as the model's tokens: `▁今天`, 天, 下, 三, 分, and the full stop.
const WORDS: [u32; 6] = [5163, 745, 135, 133, 390, 123];

/// A step beyond the end of every sentence: the player is at the last step, so that all rows of the picture are
/// visible.
const LAST: usize = 99;

/// The ways to the models that read the lecture's sentence, and to one of everyday language.
#[component]
pub fn LectureExample() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <ViewLink change=everyday class="own-sentence" test_id="lecture-everyday">
            {t!(i18n, recurrent.everyday)}
        </ViewLink>
        <ViewLink change=own_words class="own-sentence" test_id="lecture-own">
            {t!(i18n, recurrent.own_words)}
        </ViewLink>
        <ViewLink change=given_words class="own-sentence" test_id="lecture-given">
            {t!(i18n, recurrent.given_words)}
        </ViewLink>
        <ViewLink change=by_transformer class="own-sentence" test_id="lecture-example">
            {t!(i18n, recurrent.lecture)}
        </ViewLink>
    }
}

/// The first model from English into Chinese, recurrent or a Transformer.
fn into_chinese(is_recurrent: bool) -> Model {
    Model::first(|card| {
        card.is_recurrent == is_recurrent
            && card.reads.contains(&Language::English)
            && card.writes == Some(Language::Chinese)
    })
}

/// A sentence that the model translates as a person would.
fn everyday(view: &mut View) {
    view.use_model(into_chinese(true));
    view.step = LAST;
}

fn own_words(view: &mut View) {
    everyday(view);
    view.use_text(LECTURE.to_owned());
    view.step = LAST;
}

fn given_words(view: &mut View) {
    own_words(view);
    view.prefix = WORDS.to_vec();
}

fn by_transformer(view: &mut View) {
    view.use_model(into_chinese(false));
    view.use_text(LECTURE.to_owned());
    view.tab = Tab::Explore;
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    #[test]
    fn the_lectures_words_are_tokens_of_the_model() {
        let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
        let directory = into_chinese(true).directory().unwrap();
        let path = assets.join(directory).join("tokenizer.json");
        let tokenizer: serde_json::Value =
            serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let tokens = ["▁今天", "天", "下", "三", "分", "。"];
        let ids = tokens.map(|token| tokenizer["model"]["vocab"][token].as_u64());
        assert_eq!(ids, WORDS.map(|id| Some(u64::from(id))));
    }

    #[test]
    fn every_way_stays_in_the_chapter_but_for_the_transformers() {
        let went = |way: fn(&mut View)| {
            let mut view = View::from_fragment("tab=learn&chapter=recurrent&prefix=4&step=2");
            way(&mut view);
            view
        };
        for way in [everyday, own_words, given_words] {
            let view = went(way);
            assert_eq!(view.tab, Tab::Learn);
            assert_eq!(view.model.to_string(), "recurrent-chinese");
        }
        assert!(went(everyday).prefix.is_empty());
        assert_eq!(went(given_words).prefix, WORDS);
        assert_eq!(went(given_words).text, went(own_words).text);
        assert_eq!(went(by_transformer).tab, Tab::Explore);
        assert_eq!(went(by_transformer).model.to_string(), "to-chinese");
    }
}
