//! The measurements of a model's heads on some sentences of a corpus, which add up to those on all of them.

use std::collections::{BTreeMap, BTreeSet};

use attention_trace::{
    ModelSpec, Trace,
    roles::{HeadRoles, InductionSet, RoleSet, SentenceTokens},
};
use serde::{Deserialize, Serialize};

use super::heads::MeasuredHeads;
use crate::error::ModelError;

/// The most sentences of a set that has all of their texts. A larger one has those that heads fit best.
const MOST_TEXTS: usize = 1000;

/// The measurements of all heads of a model on some sentences. They are the same to the last bit in whatever order
/// sentences are added and parts are merged.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct RoleSums {
    pub(super) heads: MeasuredHeads,
    /// The number of sentences.
    count: usize,
    /// By line: of at most [`MOST_TEXTS`] sentences all texts, of more at least those that heads keep.
    texts: BTreeMap<usize, SentenceText>,
    /// The number of texts that heads kept when the others were last forgotten.
    #[serde(skip)]
    kept: usize,
    pub(super) induction: Option<InductionSet>,
    /// The number of pairs that a person aligned.
    pub(crate) aligned_pairs: usize,
}

/// A sentence, and its tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SentenceText {
    text: String,
    tokens: SentenceTokens,
}

impl RoleSums {
    /// Returns the sums over no sentences.
    ///
    /// # Errors
    /// If the model has no attention over the tokens of a text.
    pub fn new(spec: &ModelSpec) -> Result<Self, ModelError> {
        if spec.kinds().is_empty() || spec.reads_pictures() {
            let reason =
                "a model without attention over the tokens of a text has no roles of heads";
            return Err(ModelError::Unsupported(reason.to_owned()));
        }
        Ok(RoleSums {
            heads: MeasuredHeads::of(spec),
            count: 0,
            texts: BTreeMap::new(),
            kept: 0,
            induction: None,
            aligned_pairs: 0,
        })
    }

    /// Returns the number of sentences that were measured.
    pub fn sentences(&self) -> usize {
        self.count
    }

    /// Returns the number of pairs that a person aligned.
    pub fn aligned_pairs(&self) -> usize {
        self.aligned_pairs
    }

    /// Adds the sentence of a line, by the weights of a recorded pass. Each line is added once.
    pub(super) fn add(&mut self, line: usize, text: &str, trace: &Trace) {
        self.heads.observe(line, trace);
        self.count += 1;
        let text = SentenceText {
            text: text.to_owned(),
            tokens: SentenceTokens::of(&trace.meta),
        };
        self.texts.insert(line, text);
        self.forget_texts();
    }

    /// Adds the sums over other sentences of the same model.
    pub fn merge(&mut self, other: RoleSums) {
        self.heads.merge(other.heads);
        self.count += other.count;
        self.texts.extend(other.texts);
        self.induction = self.induction.or(other.induction);
        self.aligned_pairs += other.aligned_pairs;
        self.forget_texts();
    }

    /// Forgets the texts that no head keeps, once there are twice as many as then remain.
    fn forget_texts(&mut self) {
        if self.texts.len() <= MOST_TEXTS.max(2 * self.kept) {
            return;
        }
        let lines = self.heads.kept_lines();
        self.texts.retain(|line, _| lines.contains(line));
        self.kept = self.texts.len();
    }

    /// Returns the roles of all heads. The digests of the weights and of the files are the caller's to add.
    pub fn set(&self) -> RoleSet {
        let mut heads = self.heads.roles();
        let mut texts = self.texts.clone();
        let has_all = self.count <= MOST_TEXTS;
        if !has_all {
            let lines: BTreeSet<usize> = named(&mut heads).map(|line| *line).collect();
            texts.retain(|line, _| lines.contains(line));
        }
        let lines: Vec<usize> = texts.keys().copied().collect();
        for line in named(&mut heads) {
            // Every line that a head names has a text.
            *line = lines.partition_point(|other| other < line);
        }
        let (texts, tokens) = texts
            .into_values()
            .map(|sentence| (sentence.text, sentence.tokens))
            .unzip();
        RoleSet {
            weights: String::new(),
            sentences: String::new(),
            texts,
            count: (!has_all).then_some(self.count),
            tokens,
            induction: self.induction,
            alignment: None,
            heads,
        }
    }
}

/// Returns the numbers of the sentences that heads fit best.
fn named(heads: &mut [HeadRoles]) -> impl Iterator<Item = &mut usize> {
    let sentences = heads.iter_mut().flat_map(|head| head.most.values_mut());
    sentences.flatten().map(|sentence| &mut sentence.0)
}
