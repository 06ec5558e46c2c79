//! The sizes of the model, and its vocabulary of words.

use attention_trace::lessons::Mark;
use serde::{Deserialize, Serialize};

use crate::embedding::UNKNOWN;
use crate::error::ModelError;

/// The `model_type` in `config.json`.
const MODEL_TYPE: &str = "lstmn";

/// The largest size that a file may ask for.
const MOST: usize = 512;

/// The word that begins a sentence and ends it; the second of the vocabulary.
pub const BOUNDARY: &str = "<s>";

/// The sizes of a [`TapeNetwork`](super::TapeNetwork).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LstmnConfig {
    /// The constant `model_type`, `lstmn`.
    model_type: String,
    /// Width of the words' vectors.
    pub embedding_size: usize,
    /// Width of the hidden states and of the memory cells.
    pub state_size: usize,
    /// Width of the vectors between state and score; `None` in a plain LSTM, which goes on from the last state.
    pub attention_size: Option<usize>,
    /// The words: [`UNKNOWN`], [`BOUNDARY`], the final marks, and all others. A word's place is its number.
    pub vocabulary: Vec<String>,
}

impl LstmnConfig {
    /// Returns the published sizes, with these words beside the special ones.
    pub fn of_words(words: impl IntoIterator<Item = String>, has_attention: bool) -> Self {
        let marks = Mark::ALL.map(|mark| mark.sign().to_string());
        let special = [UNKNOWN.to_owned(), BOUNDARY.to_owned()];
        let mut vocabulary: Vec<String> = special.into_iter().chain(marks).collect();
        for word in words {
            if !vocabulary[..2 + Mark::ALL.len()].contains(&word) {
                vocabulary.push(word);
            }
        }
        LstmnConfig {
            model_type: MODEL_TYPE.to_owned(),
            embedding_size: 64,
            state_size: 96,
            attention_size: has_attention.then_some(64),
            vocabulary,
        }
    }

    pub(super) fn check(&self) -> Result<(), ModelError> {
        let fail = |reason: String| Err(ModelError::Unsupported(reason));
        if self.model_type != MODEL_TYPE {
            let found = &self.model_type;
            return fail(format!("model_type {found} is not {MODEL_TYPE}"));
        }
        let attention = self.attention_size.unwrap_or(1);
        let sizes = [self.embedding_size, self.state_size, attention];
        if !sizes.iter().all(|size| (1..=MOST).contains(size)) {
            return fail(format!("sizes must be between 1 and {MOST}"));
        }
        match self
            .vocabulary
            .starts_with(&[UNKNOWN, BOUNDARY].map(str::to_owned))
        {
            true => Ok(()),
            false => fail(format!(
                "the vocabulary does not begin with {UNKNOWN} and {BOUNDARY}"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_words_come_first_and_once() {
        let words = ["a", ".", "b"].map(str::to_owned);
        let config = LstmnConfig::of_words(words, true);
        assert_eq!(
            config.vocabulary,
            [UNKNOWN, BOUNDARY, ".", "?", "!", "a", "b"]
        );
    }

    #[test]
    fn sizes_that_make_no_model_are_refused() {
        let config = || LstmnConfig::of_words(["a".to_owned()], true);
        assert!(config().check().is_ok());
        let plain = LstmnConfig {
            attention_size: None,
            ..config()
        };
        assert!(plain.check().is_ok());
        let none = LstmnConfig {
            attention_size: Some(0),
            ..config()
        };
        let wide = LstmnConfig {
            state_size: MOST + 1,
            ..config()
        };
        let nameless = LstmnConfig {
            vocabulary: vec![UNKNOWN.to_owned(), "a".to_owned()],
            ..config()
        };
        let other = LstmnConfig {
            model_type: "marian".to_owned(),
            ..config()
        };
        for refused in [none, wide, nameless, other] {
            assert!(refused.check().is_err(), "{refused:?}");
        }
    }
}
