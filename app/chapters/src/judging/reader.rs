//! The model that reads the two texts, and links to models that can.

use crate::judging::parameters::Judging;
use leptos::prelude::*;

use attention_core::{
    engine::{Engine, Job},
    i18n::{t, use_i18n},
    navigation::ViewLink,
    state::{Language, Model, Task, View, ViewState},
};

/// An English sentence for the translator into Chinese that names neither of the two words of the lecture's pair.
const SOURCE: &str = "I like bread.";

/// A model that reads texts token by token.
#[derive(Clone, Debug, PartialEq)]
pub struct Reader {
    /// The request to the model, without the target.
    pub job: Job,
    /// The source text that a translator reads first; `None` for a model without a source.
    pub source: Option<String>,
}

impl Reader {
    /// Returns the reader for a job's model, if the model can be one. Translators into English cannot: their source,
    /// mostly unrelated to the pair, would affect the probabilities more than the pair does. Nor can models of letters,
    /// of verse and of masked words, which write no sentences.
    fn of(job: &Job, reads_source: bool) -> Option<Self> {
        let card = job.model.card();
        let source = match card.task {
            Task::Translate if card.writes == Some(Language::English) => return None,
            Task::Fill | Task::Letters | Task::Verse | Task::Picture => return None,
            Task::Translate | Task::Continue | Task::Unknown => {
                reads_source.then(|| job.reads.clone())
            }
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

    /// Returns the pair of example texts in the model's language.
    pub fn own_texts(&self) -> [&'static str; 2] {
        match self.job.model.card().writes {
            Some(Language::Chinese) => ["面包上涂黄油", "面包上涂袜子"],
            Some(Language::French) => [
                "Il met du beurre sur le pain.",
                "Il met des chaussettes sur le pain.",
            ],
            Some(Language::English) | None => {
                ["I like bread and butter.", "I like bread and socks."]
            }
        }
    }
}

/// Returns the reader for the model on screen, if it can be one.
pub fn reader(engine: &Engine) -> Option<Reader> {
    let shown = engine.shown.as_ref()?;
    Reader::of(shown.job.as_ref()?, shown.trace.meta.spec.reads_source())
}

/// The model of English sentences.
fn of_sentences() -> Model {
    Model::first(|card| card.task == Task::Continue)
}

/// The first translator into Chinese.
fn into_chinese() -> Model {
    Model::first(|card| card.task == Task::Translate && card.writes == Some(Language::Chinese))
}

/// Switches to the model of English sentences, with its own pair.
fn to_sentences(view: &mut View) {
    view.use_model(of_sentences());
    view.chapters.of_mut::<Judging>().read = Judging::default().read;
}

/// Switches to the translator into Chinese, with the lecture's pair.
fn to_chinese(view: &mut View) {
    view.use_model(into_chinese());
    view.use_text(SOURCE.to_owned());
    view.chapters.of_mut::<Judging>().read = Judging::default().read;
}

/// Links to the models that read the pair, without the chosen one.
#[component]
pub fn Ways() -> impl IntoView {
    let i18n = use_i18n();
    let model = ViewState::expect().select(|view| view.model);
    view! {
        <Show when=move || model.get() != of_sentences()>
            <ViewLink change=to_sentences class="link-button" test_id="chain-sentences">
                {t!(i18n, judging.use_sentences)}
            </ViewLink>
        </Show>
        <Show when=move || model.get() != into_chinese()>
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
        let alone = reader(of_sentences(), false).unwrap();
        assert_eq!(
            (alone.job.reads.as_str(), alone.source.as_deref()),
            ("", None)
        );
        assert_eq!(alone.own_texts()[0], "I like bread and butter.");
    }

    #[test]
    fn a_translator_from_english_reads_them_after_the_sentence_on_screen() {
        let chinese = reader(into_chinese(), true).unwrap();
        assert_eq!(chinese.source.as_deref(), Some("Two."));
        assert_eq!(chinese.job.reads, "Two.");
        assert_eq!(chinese.own_texts(), ["面包上涂黄油", "面包上涂袜子"]);
        assert_eq!(reader(Model::default(), true), None);
    }

    #[test]
    fn the_ways_lead_to_models_that_read_their_own_pair() {
        for way in [to_sentences, to_chinese] {
            let mut view = View::from_fragment("tab=learn&chapter=judging&read-first=typed");
            way(&mut view);
            assert_eq!(view.chapters.of::<Judging>().read, [None, None]);
            let reads_source = view.model != of_sentences();
            assert!(Reader::of(&Job::from(&view), reads_source).is_some());
        }
    }
}
