//! Texts that trained models have read, and the answers that questions have for them.

use std::{cell::RefCell, collections::BTreeSet, path::Path};

use attention_chapters::{
    census::Listed,
    evidence::{Evidence, SelfFacts},
};
use attention_core::{
    state::{HeadChoice, Sitting},
    widgets::label,
};
use attention_model::{checkpoint::Checkpoint, decoding::Sequence, inference::RunOptions};
use attention_trace::{Array, ArrayName, AttentionLayer, Excerpt, Quantities, Search, Trace};
use burn::prelude::Device;
use pollster::block_on;

/// The models and the texts that they read.
const READ: [(&str, &[&str]); 2] = [
    (
        "translator",
        &[
            "Je suis étudiant",
            "Où est la bibliothèque ?",
            "Je ne sais pas ce que tu veux.",
            "Elle a perdu son livre hier soir.",
            "今天天下三分",
            "你喜欢这本书吗？",
            "我们明天一起去学校。",
        ],
    ),
    (
        "sentences",
        &[
            "She told me that",
            "The boy went to the",
            "The FBI is chasing a criminal on the run .",
            "The animal didn't cross the street because it",
            "I don't know what you want",
        ],
    ),
];

/// The most tokens that are written.
const MOST_NEW: usize = 12;

/// A text that a model has read.
pub struct Read {
    checkpoint: std::rc::Rc<Checkpoint>,
    text: String,
    sequences: Vec<Sequence>,
    trace: Trace,
    /// Arrays that were computed before.
    known: RefCell<Vec<(Excerpt, Array)>>,
}

/// Returns all texts, read and continued by their models.
pub fn texts() -> Vec<Read> {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/models");
    let device = Device::flex();
    let of = |(model, texts): (&str, &[&str])| -> Vec<Read> {
        let checkpoint = Checkpoint::open(&models.join(model), &device).unwrap();
        let checkpoint = std::rc::Rc::new(checkpoint);
        let read = |text: &&str| {
            let options = RunOptions {
                search: Search::Greedy,
                prefix: vec![],
                max_new_tokens: MOST_NEW,
                quantities: Quantities::NONE,
                edits: vec![],
            };
            let decoded = checkpoint.decode(text, &options, &device, async |_| true);
            let sequences = block_on(decoded).unwrap();
            let trace = checkpoint.trace(text, &sequences, &options, &device);
            Read {
                trace: block_on(trace).unwrap(),
                checkpoint: checkpoint.clone(),
                text: (*text).to_owned(),
                sequences,
                known: RefCell::default(),
            }
        };
        texts.iter().map(read).collect()
    };
    READ.into_iter().flat_map(of).collect()
}

impl Read {
    /// The evidence of a sitting before any array is here. Each layer has its turn, as visitors choose.
    fn evidence(&self, place: usize, sitting: Sitting) -> Evidence {
        let meta = &self.trace.meta;
        let kind = meta.spec.permuted();
        let head = HeadChoice {
            attention: AttentionLayer {
                kind,
                layer: place % meta.spec.layers(kind),
            },
            head: place % meta.spec.heads(kind),
        };
        let query = meta.axes(kind).0.len() / 2;
        let facts = SelfFacts::of(meta, head, query, label).unwrap();
        let decoding = self.trace.decoding.clone();
        let step = decoding
            .as_ref()
            .map_or(0, |decoding| decoding.steps.len() / 2);
        Evidence::new(facts, decoding, step, sitting)
    }

    fn fetch(&self, excerpt: &Excerpt) -> Option<Array> {
        let mut known = self.known.borrow_mut();
        if let Some((_, array)) = known.iter().find(|(other, _)| other == excerpt) {
            return Some(array.clone());
        }
        let ArrayName::Site(site) = excerpt.array else {
            return None;
        };
        let (sites, device) = (BTreeSet::from([site]), Device::flex());
        let (text, sequences) = (&self.text, &self.sequences);
        let arrays = self
            .checkpoint
            .arrays(text, sequences, &sites, &excerpt.edits, &device);
        let array = block_on(arrays)
            .unwrap()
            .remove(&site)?
            .slice(excerpt.slice)?;
        known.push((excerpt.clone(), array.clone()));
        Some(array)
    }
}

/// The answers of one form of a question.
#[derive(Debug, Default)]
pub struct OfForm {
    /// An answer for each text that has one.
    pub given: Vec<String>,
    /// The number of all texts.
    pub all: usize,
}

impl OfForm {
    /// The texts that have an answer.
    pub fn asked(&self) -> usize {
        self.given.len()
    }

    /// The different answers among them.
    pub fn different(&self) -> usize {
        self.given.iter().collect::<BTreeSet<_>>().len()
    }
}

/// The answers to a question, in the form before a chapter and in the one after it.
#[derive(Debug, Default)]
pub struct Answers {
    /// The answers of each form.
    pub forms: [OfForm; 2],
    /// Texts whose answers differ between the forms.
    pub changed: usize,
}

impl Answers {
    /// Asks a question of all texts.
    pub fn of(question: Listed, texts: &[Read]) -> Self {
        let mut answers = Answers::default();
        for (place, text) in texts.iter().enumerate() {
            let both = Sitting::ALL.map(|sitting| {
                let evidence = text.evidence(place, sitting);
                // A text that does not decide it is not counted.
                question
                    .answer(&evidence, |excerpt| text.fetch(excerpt))
                    .ok()
            });
            answers.changed += usize::from(both[0] != both[1]);
            for (form, answer) in answers.forms.iter_mut().zip(both) {
                form.all += 1;
                form.given.extend(answer);
            }
        }
        answers
    }
}
