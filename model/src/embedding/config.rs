//! The sizes of the model, and its vocabulary of words.

use serde::{Deserialize, Serialize};

use crate::error::ModelError;

/// The `model_type` in `config.json`.
const MODEL_TYPE: &str = "sentence_embedder";

/// The largest size that a file may ask for.
const MOST: usize = 512;

/// The word that replaces every unknown word; the first of the vocabulary.
pub const UNKNOWN: &str = "<unk>";

/// The sizes of a [`SentenceEmbedder`](super::SentenceEmbedder).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmbedderConfig {
    /// The constant `model_type`, `sentence_embedder`.
    model_type: String,
    /// Width of the words' vectors.
    pub embedding_size: usize,
    /// Width of the states of each direction, the paper's `u`.
    pub state_size: usize,
    /// Width of `W₁`'s output, the paper's `d_a`.
    pub attention_size: usize,
    /// Rows of weights, the paper's `r`.
    pub hops: usize,
    /// Width of the layer between the embedding and the logits.
    pub inner_size: usize,
    /// The words, [`UNKNOWN`] first. A word's place is its number.
    pub vocabulary: Vec<String>,
}

impl EmbedderConfig {
    /// Returns the published sizes, with these words.
    pub fn of_words(words: impl IntoIterator<Item = String>) -> Self {
        EmbedderConfig {
            model_type: MODEL_TYPE.to_owned(),
            embedding_size: 32,
            state_size: 32,
            attention_size: 32,
            hops: 4,
            inner_size: 64,
            vocabulary: [UNKNOWN.to_owned()].into_iter().chain(words).collect(),
        }
    }

    /// Width of a word's state, both directions side by side.
    pub fn width(&self) -> usize {
        2 * self.state_size
    }

    pub(super) fn check(&self) -> Result<(), ModelError> {
        let fail = |reason: String| Err(ModelError::Unsupported(reason));
        if self.model_type != MODEL_TYPE {
            let found = &self.model_type;
            return fail(format!("model_type {found} is not {MODEL_TYPE}"));
        }
        let sizes = [
            self.embedding_size,
            self.state_size,
            self.attention_size,
            self.hops,
            self.inner_size,
        ];
        if !sizes.iter().all(|size| (1..=MOST).contains(size)) {
            return fail(format!("sizes must be between 1 and {MOST}"));
        }
        match self.vocabulary.first().is_some_and(|word| word == UNKNOWN) {
            true => Ok(()),
            false => fail(format!("the vocabulary does not begin with {UNKNOWN}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_model_is_refused() {
        let config = || EmbedderConfig::of_words(["a".to_owned()]);
        assert!(config().check().is_ok());
        let none = EmbedderConfig {
            hops: 0,
            ..config()
        };
        let wide = EmbedderConfig {
            inner_size: MOST + 1,
            ..config()
        };
        let nameless = EmbedderConfig {
            vocabulary: vec!["a".to_owned()],
            ..config()
        };
        let other = EmbedderConfig {
            model_type: "marian".to_owned(),
            ..config()
        };
        for refused in [none, wide, nameless, other] {
            assert!(refused.check().is_err(), "{refused:?}");
        }
    }
}
