//! Series of passes: times of decoding, texts with averaged keys, and texts that are written under edits.

use serde::{Deserialize, Serialize};

use crate::Edit;

/// A question about decoding or given texts that is answered by many passes, with progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeriesQuestion {
    /// The time of each token of greedy search after a text, with a cache and without one. The end is not chosen, so that
    /// there are as many as asked for, or as the model has room for. Answered by [`Series::Times`].
    Decoding {
        /// The text that the model reads.
        text: String,
        /// The most tokens that are decoded.
        tokens: usize,
    },
    /// `log p` of texts, in passes with keys and values averaged to each of several numbers of groups in every layer of
    /// self-attention. Answered by [`Series::LogProbabilities`].
    Grouped {
        /// The texts, read from their first token by a model that continues texts.
        texts: Vec<String>,
        /// The numbers of groups; each divides the number of heads of keys.
        groups: Vec<usize>,
    },
    /// The texts that greedy search writes after a text, each under a list of edits of its own. Answered by
    /// [`Series::Texts`].
    Written {
        /// The text that the model reads.
        text: String,
        /// The edits in the passes of each text.
        edits: Vec<Vec<Edit>>,
        /// The most tokens that are written for each.
        tokens: usize,
    },
}

/// The answer to a [`SeriesQuestion`], or what is known of it so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Series {
    /// Times, in the order of the tokens.
    Times {
        /// The times so far.
        times: Vec<TokenTime>,
        /// The number of tokens in all.
        total: usize,
    },
    /// Sums over the texts, in the order of the numbers of groups.
    LogProbabilities {
        /// The sums so far.
        sums: Vec<GroupedSum>,
        /// The number of passes in all.
        total: usize,
    },
    /// Texts, in the order of the lists of edits.
    Texts {
        /// The texts so far; the last one may not be finished.
        texts: Vec<WrittenText>,
        /// The number of texts in all.
        total: usize,
    },
}

/// A text that the model writes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenText {
    /// The number of tokens that were written so far, that of the end included.
    pub tokens: usize,
    /// The words; empty until the text is finished.
    pub text: String,
    /// True if the text is finished.
    pub is_done: bool,
}

/// The time of one decoded token.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TokenTime {
    /// The number of tokens that were read when it was predicted.
    pub read: usize,
    /// Milliseconds of the pass over the newest token, with the keys and values of the others kept.
    pub cached_ms: f64,
    /// Milliseconds of the pass over all tokens.
    pub recomputed_ms: f64,
}

/// `log p` of several texts with so many heads of keys and values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupedSum {
    /// The number of heads of keys and values that are left.
    pub groups: usize,
    /// The number of texts that were read.
    pub texts: usize,
    /// The number of tokens that were predicted, each text's end included.
    pub tokens: usize,
    /// The sum of `ln p` over these tokens.
    pub log_probability: f64,
}

impl GroupedSum {
    /// Returns the mean of `ln p` for each token.
    pub fn mean(self) -> f64 {
        self.log_probability / self.tokens.max(1) as f64
    }

    /// Returns the perplexity, `e` to the mean of `−ln p`.
    pub fn perplexity(self) -> f64 {
        (-self.mean()).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_survives_the_way_to_the_worker() {
        let question = SeriesQuestion::Grouped {
            texts: vec!["a".to_owned()],
            groups: vec![6, 1],
        };
        let json = serde_json::to_string(&question).unwrap();
        assert_eq!(
            serde_json::from_str::<SeriesQuestion>(&json).unwrap(),
            question
        );
        let sum = GroupedSum {
            groups: 1,
            texts: 1,
            tokens: 4,
            log_probability: -8.0,
        };
        assert_eq!(sum.mean(), -2.0);
        assert!((sum.perplexity() - 2.0_f64.exp()).abs() < 1e-9);
    }
}
