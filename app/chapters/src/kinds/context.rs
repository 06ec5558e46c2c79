//! State that the figures of the page share: the sentence, and a model of each kind with an engine of its own.

use attention_core::{
    engine::{ForcedTarget, Job, Second},
    state::{Language, Model, Task, View, ViewState},
};
use attention_trace::positions::PositionalEncoding;
use leptos::prelude::*;

use super::{cloze::Cloze, parameters::Kinds};

/// The most tokens that a model writes after what it reads.
const MOST_NEW: usize = 12;

/// Sentences that the page offers, each with its translation into French.
pub const PAIRS: [(&str, &str); 4] = [
    (
        "The little cat is sleeping on the chair.",
        "Le petit chat dort sur la chaise.",
    ),
    (
        "She wants to read this book again.",
        "Elle veut relire ce livre.",
    ),
    (
        "I drink a cup of coffee every morning.",
        "Je bois une tasse de café tous les matins.",
    ),
    (
        "He opened the door and went into the house.",
        "Il a ouvert la porte et est entré dans la maison.",
    ),
];

/// A kind of Transformer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    EncoderOnly,
    DecoderOnly,
    EncoderDecoder,
}

impl Kind {
    /// All kinds, in the order of the figures.
    pub const ALL: [Kind; 3] = [Kind::EncoderOnly, Kind::DecoderOnly, Kind::EncoderDecoder];

    /// Returns the served model of the kind.
    pub fn model(self) -> Model {
        match self {
            Kind::EncoderOnly => Model::first(|card| card.task == Task::Fill),
            Kind::DecoderOnly => Model::with_positions(Task::Continue, PositionalEncoding::Learned),
            Kind::EncoderDecoder => Model::translator_from(Language::French),
        }
    }
}

/// Returns the job of a model that reads a text.
fn job(model: Model, text: &str, prefix: Vec<u32>) -> Job {
    let mut view = View::default();
    view.use_model(model);
    view.use_text(text.to_owned());
    Job {
        most_new: MOST_NEW,
        prefix,
        ..Job::from(&view)
    }
}

/// The sentence, and the engines that read it. Take it with [`KindsContext::expect`].
#[derive(Clone, Copy)]
pub struct KindsContext {
    /// The English sentence and the French one.
    pub pair: Memo<(String, String)>,
    /// The sentence with its masked word; `None` if it has one word only.
    pub cloze: Memo<Option<Cloze>>,
    /// The engines, in the order of [`Kind::ALL`].
    engines: [Second; 3],
    /// The tokens of the words before the masked one, as the translator spells them.
    pub before: Memo<Option<Vec<u32>>>,
}

impl KindsContext {
    /// Makes the context and provides it to the components below.
    pub fn provide() -> Self {
        let state = ViewState::expect();
        let lab = state.select(|view| view.chapters.of::<Kinds>().clone());
        let pair = Memo::new(move |_| {
            let lab = lab.get();
            let (text, source) = PAIRS[0];
            let text = lab.text.unwrap_or_else(|| text.to_owned());
            (text, lab.source.unwrap_or_else(|| source.to_owned()))
        });
        let cloze = Memo::new(move |_| Cloze::of(&pair.get().0, lab.get().word));
        let asked = Memo::new(move |_| cloze.get().filter(|_| lab.get().run));
        let encoder = Second::of(move || {
            let cloze = asked.get()?;
            Some(job(Kind::EncoderOnly.model(), &cloze.masked, vec![]))
        });
        let decoder = Second::of(move || {
            let cloze = asked.get()?;
            Some(job(Kind::DecoderOnly.model(), &cloze.left, vec![]))
        });
        // The translator spells the words before the mask; only then can it be made to write them.
        let spelled = RwSignal::new(None::<(Cloze, Vec<u32>)>);
        let before = Memo::new(move |_| {
            let (of, tokens) = spelled.get()?;
            (Some(of) == cloze.get()).then_some(tokens)
        });
        let source = Memo::new(move |_| pair.get().1);
        let translator = Second::of(move || {
            asked.get()?;
            let prefix = before.get().unwrap_or_default();
            Some(job(Kind::EncoderDecoder.model(), &source.get(), prefix))
        });
        let forced = translator.forced(move || {
            let target = asked.get().map(|cloze| ForcedTarget {
                job: job(Kind::EncoderDecoder.model(), &source.get(), vec![]),
                target: cloze.left,
            });
            target.into_iter().collect()
        });
        // An effect because the job of the engine depends on its own answer.
        Effect::new(move |_| {
            let found = forced.read().first().cloned().flatten();
            let (Some(Ok(tokens)), Some(cloze)) = (found, cloze.get_untracked()) else {
                return;
            };
            // The last one is the end, which does not follow here.
            let ids = tokens.iter().map(|token| token.given.token.id);
            let ids: Vec<u32> = ids.take(tokens.len().saturating_sub(1)).collect();
            spelled.set(Some((cloze, ids)));
        });
        let context = KindsContext {
            pair,
            cloze,
            engines: [encoder, decoder, translator],
            before,
        };
        provide_context(context);
        context
    }

    /// The context that the page provided.
    ///
    /// # Panics
    /// Outside the page.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Returns the engine of the model of a kind.
    pub fn engine(self, kind: Kind) -> Second {
        self.engines[kind as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kinds_have_three_models() {
        let [encoder, decoder, translator] = Kind::ALL.map(Kind::model);
        assert!(encoder != decoder && decoder != translator && encoder != translator);
        assert_eq!(decoder.card().task, Task::Continue);
        assert_eq!(decoder.card().positions, PositionalEncoding::Learned);
    }

    #[test]
    fn every_sentence_has_words_to_mask() {
        for (text, source) in PAIRS {
            assert!(Cloze::of(text, 3).is_some_and(|cloze| cloze.word == 3));
            assert!(!source.is_empty());
        }
    }
}
