//! The quality of a model without each of its heads: `attn importance` measures it and the page
//! draws it.

use serde::{Deserialize, Serialize};

use crate::{AttentionLayer, Search};

/// Scores of a model on sentence pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SetScore {
    /// Corpus BLEU of its output, in percent, without smoothing: 0 where no four words in a row are right.
    pub bleu: f64,
    /// Mean negative log-likelihood of the references' tokens, in nats.
    pub loss: f64,
}

/// The scores with a head off.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeadScore {
    /// The attention that the head is in.
    pub attention: AttentionLayer,
    /// The index of the head.
    pub head: usize,
    /// The scores of the model without the head.
    #[serde(flatten)]
    pub score: SetScore,
}

/// Scores of a model with heads off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeadScores {
    /// The SHA-256 of the weights, in hexadecimal digits; `None` in files from before it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
    /// The number of sentence pairs.
    pub pairs: usize,
    /// The way of searching.
    pub search: Search,
    /// The scores with all heads on.
    pub whole: SetScore,
    /// The scores with each head off by itself, in the order of computation.
    pub alone: Vec<HeadScore>,
    /// The scores with heads taken out one after the other, those first whose absence costs least loss (Michel et al.
    /// 2019): each with the scores once it is out too.
    pub pruned: Vec<HeadScore>,
}

/// The scores in a file that `attn importance` wrote.
///
/// # Errors
/// If it is no such file.
pub fn read_head_scores(json: &str) -> Result<HeadScores, serde_json::Error> {
    serde_json::from_str(json)
}
