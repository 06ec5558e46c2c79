//! Roles of a model's heads on a set of sentences: `attn roles` measures them and the page shows them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Mark, Role, RoleScores};
use crate::{AttentionKind, AttentionLayer, Token, TraceMeta};

/// The roles of all heads of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoleSet {
    /// SHA-256 of the weights, `model.safetensors`.
    pub weights: String,
    /// SHA-256 of the file of sentences.
    pub sentences: String,
    /// The text that the model reads for each sentence: the source or, for a decoder-only model, the sentence itself. A
    /// set with a [`count`](Self::count) has those of the sentences in [`HeadRoles::most`] alone.
    pub texts: Vec<String>,
    /// The number of sentences, of a set that has the texts of only some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// The tokens of each of these texts, if the file has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tokens: Vec<SentenceTokens>,
    /// The sequences that [`Role::Induction`] was measured on, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub induction: Option<InductionSet>,
    /// The pairs that [`Role::Alignment`] was measured on, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alignment: Option<AlignedSet>,
    /// The heads, in the order of computation.
    pub heads: Vec<HeadRoles>,
}

/// Sentence pairs that a person aligned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlignedSet {
    /// SHA-256 of their file.
    pub file: String,
    /// The number of pairs.
    pub pairs: usize,
}

/// Random tokens, each sequence once and then again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InductionSet {
    /// The number of sequences.
    pub sequences: usize,
    /// Tokens that are repeated, all different.
    pub tokens: usize,
    /// The seed of the random tokens.
    pub seed: u64,
}

/// The roles of one head.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeadRoles {
    /// The attention that the head is in.
    pub attention: AttentionLayer,
    /// The index of the head.
    pub head: usize,
    /// The scores over all queries of the set.
    #[serde(flatten)]
    pub roles: RoleScores,
    /// The share of its weight by distance, as in [`HeadTally::distances`](super::HeadTally::distances).
    pub distances: Vec<f32>,
    /// The sentences with the largest weight by role, strongest first.
    pub most: BTreeMap<Role, Vec<MostSentence>>,
    /// The most frequent queries with at least half of their weight on one key.
    pub queries: Vec<WordCount>,
    /// The most frequent keys that get that much of a query's weight.
    pub keys: Vec<WordCount>,
    /// Heads of its kind with the most similar weights, most similar first.
    pub like: Vec<LikeHead>,
}

/// A sentence with a large weight on the keys of a role.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MostSentence(
    /// The index in [`RoleSet::texts`].
    pub usize,
    /// The mean weight on the keys of the role.
    pub f32,
    /// The strongest of these weights, if the file has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub Vec<Mark>,
);

/// The tokens of a sentence as the tokenizer spells them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentenceTokens {
    /// The tokens that the encoder reads; none for a decoder-only model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub source: Vec<String>,
    /// The tokens that the decoder reads; none for a model without one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub target: Vec<String>,
}

impl SentenceTokens {
    /// Returns the tokens of a recorded pass.
    pub fn of(meta: &TraceMeta) -> Self {
        let texts = |tokens: &[Token]| tokens.iter().map(|token| token.text.clone()).collect();
        SentenceTokens {
            source: texts(&meta.source),
            target: texts(&meta.target),
        }
    }

    /// Returns the tokens of the queries and those of the keys of an attention.
    pub fn axes(&self, kind: AttentionKind) -> (&[String], &[String]) {
        match kind {
            AttentionKind::EncoderSelf => (&self.source, &self.source),
            AttentionKind::DecoderSelf => (&self.target, &self.target),
            AttentionKind::Cross => (&self.target, &self.source),
        }
    }
}

/// A token and how often it occurs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordCount(
    /// The token as the tokenizer spells it.
    pub String,
    /// The number of occurrences.
    pub usize,
);

/// A head and how much weight it has elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LikeHead {
    /// The layer of the head.
    pub layer: usize,
    /// The index of the head.
    pub head: usize,
    /// The total variation between the weights of both heads, mean over all queries of the set.
    pub moved: f32,
}

impl RoleSet {
    /// Returns the number of sentences that were measured.
    pub fn sentence_count(&self) -> usize {
        self.count.unwrap_or(self.texts.len())
    }

    /// A head, if it was measured.
    pub fn head(&self, attention: AttentionLayer, head: usize) -> Option<&HeadRoles> {
        let mut heads = self.heads.iter();
        heads.find(|found| found.attention == attention && found.head == head)
    }
}

/// The roles in a file that `attn roles` wrote.
///
/// # Errors
/// If it is no such file.
pub fn read_role_set(json: &str) -> Result<RoleSet, serde_json::Error> {
    serde_json::from_str(json)
}

/// Returns the contents of a file of roles.
///
/// # Errors
/// If a number of the set is none of JSON's.
pub fn write_role_set(set: &RoleSet) -> Result<String, serde_json::Error> {
    serde_json::to_string(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_read_with_its_marks_and_without() {
        let read = |json| serde_json::from_str::<MostSentence>(json).unwrap();
        assert_eq!(read("[3,0.5]"), MostSentence(3, 0.5, vec![]));
        let marked = MostSentence(3, 0.5, vec![Mark(2, 1, 0.75)]);
        assert_eq!(read("[3,0.5,[[2,1,0.75]]]"), marked);
        assert_eq!(
            serde_json::to_string(&marked).unwrap(),
            "[3,0.5,[[2,1,0.75]]]"
        );
        let plain = MostSentence(3, 0.5, vec![]);
        assert_eq!(serde_json::to_string(&plain).unwrap(), "[3,0.5]");
    }
}
