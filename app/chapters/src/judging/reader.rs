//! Which model reads the two texts, and the ways to one that does.

use crate::judging::parameters::Judging;
use leptos::prelude::*;

use attention_core::{
    engine::{Engine, Job},
    i18n::{t, use_i18n},
    navigation::ViewLink,
    state::{Model, Recurrent, Target, View, ViewState},
};

/// An English sentence for the translator into Chinese that names neither of the two words of the lecture's pair.
const SOURCE: &str = "I like bread.";

/// A model that reads texts token by token.
#[derive(Clone, Debug, PartialEq)]
pub struct Reader {
    /// What it is asked for, but for the target.
    pub job: Job,
    /// What it has read before; `None` of a model that reads nothing else.
    pub source: Option<String>,
}

impl Reader {
    /// The reader that a model is, if it is one. The translators into English are not: their source, mostly none that has
    /// to do with the pair, would decide more than the pair. Nor are models of letters and of verse, which write no sentences.
    fn of(job: &Job, reads_source: bool) -> Option<Self> {
        let source = match job.model {
            Model::Translator
            | Model::Recurrent(Recurrent::Fixed | Recurrent::Bahdanau | Recurrent::Luong)
            | Model::Universal
            | Model::Positions(_)
            | Model::Poems(_) => return None,
            Model::Sentences
            | Model::FromEnglish(_)
            | Model::Recurrent(Recurrent::Chinese)
            | Model::Trained(_)
            | Model::Mine(_) => reads_source.then(|| job.reads.clone()),
        };
        let job = Job {
            prefix: Vec::new(),
            ..job.clone()
        };
        let alone = Job {
            text: String::new(),
            sentence: 0,
            reads: String::new(),
            ..job.clone()
        };
        Some(Reader {
            job: if source.is_some() { job } else { alone },
            source,
        })
    }

    /// The pair in the model's language.
    pub fn own_texts(&self) -> [&'static str; 2] {
        match self.job.model {
            Model::FromEnglish(Target::Chinese) | Model::Recurrent(Recurrent::Chinese) => {
                ["面包上涂黄油", "面包上涂袜子"]
            }
            Model::FromEnglish(Target::French) => [
                "Il met du beurre sur le pain.",
                "Il met des chaussettes sur le pain.",
            ],
            _ => ["I like bread and butter.", "I like bread and socks."],
        }
    }
}

/// The reader that the model on screen is.
pub fn reader(engine: &Engine) -> Option<Reader> {
    let shown = engine.shown.as_ref()?;
    Reader::of(shown.job.as_ref()?, shown.trace.meta.spec.reads_source())
}

/// The model of English sentences, with the pair that suits it.
fn to_sentences(view: &mut View) {
    view.use_model(Model::Sentences);
    view.chapters.of_mut::<Judging>().read = Judging::default().read;
}

/// The translator into Chinese, with the lecture's pair.
fn to_chinese(view: &mut View) {
    view.use_model(Model::FromEnglish(Target::Chinese));
    view.use_text(SOURCE.to_owned());
    view.chapters.of_mut::<Judging>().read = Judging::default().read;
}

/// The ways to the models that read the pair, but for the one that is chosen.
#[component]
pub fn Ways() -> impl IntoView {
    let i18n = use_i18n();
    let model = ViewState::expect().select(|view| view.model);
    view! {
        <Show when=move || model.get() != Model::Sentences>
            <ViewLink change=to_sentences class="link-button" test_id="chain-sentences">
                {t!(i18n, judging.use_sentences)}
            </ViewLink>
        </Show>
        <Show when=move || model.get() != Model::FromEnglish(Target::Chinese)>
            <ViewLink change=to_chinese class="link-button" test_id="chain-chinese">
                {t!(i18n, judging.use_chinese)}
            </ViewLink>
        </Show>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(model: Model, reads_source: bool) -> Option<Reader> {
        let view = View {
            model,
            text: "One. Two.".to_owned(),
            sentence: 1,
            ..View::default()
        };
        Reader::of(&Job::from(&view), reads_source)
    }

    #[test]
    fn a_model_of_sentences_reads_the_texts_after_nothing() {
        let alone = reader(Model::Sentences, false).unwrap();
        assert_eq!(
            (alone.job.reads.as_str(), alone.source.as_deref()),
            ("", None)
        );
        assert_eq!(alone.own_texts()[0], "I like bread and butter.");
    }

    #[test]
    fn a_translator_from_english_reads_them_after_the_sentence_on_screen() {
        let chinese = reader(Model::FromEnglish(Target::Chinese), true).unwrap();
        assert_eq!(chinese.source.as_deref(), Some("Two."));
        assert_eq!(chinese.job.reads, "Two.");
        assert_eq!(chinese.own_texts(), ["面包上涂黄油", "面包上涂袜子"]);
        assert_eq!(reader(Model::Translator, true), None);
    }

    #[test]
    fn the_ways_lead_to_models_that_read_their_own_pair() {
        for way in [to_sentences, to_chinese] {
            let mut view = View::from_fragment("tab=learn&chapter=judging&read-first=typed");
            way(&mut view);
            assert_eq!(view.chapters.of::<Judging>().read, [None, None]);
            let reads_source = view.model != Model::Sentences;
            assert!(Reader::of(&Job::from(&view), reads_source).is_some());
        }
    }
}
