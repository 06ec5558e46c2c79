//! BLEU of several models by the length of the source: `attn compare` measures it and the page draws it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Search;

/// BLEU of several models, bin by bin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BleuByLength {
    /// The way of searching, the same for all models.
    pub search: Search,
    /// The bins, shortest sources first.
    pub bins: Vec<LengthBin>,
    /// The scores of each bin, in their order, by the name of the model.
    pub models: BTreeMap<String, Vec<BinScore>>,
}

/// Sentence pairs whose sources have about the same number of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LengthBin {
    /// The fewest words of a source.
    pub from: usize,
    /// The most words of a source.
    pub to: usize,
    /// True if sources and targets are several sentences joined, for lack of long ones.
    pub is_joined: bool,
}

/// The score of a model on the pairs of a bin, which it has not learned from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BinScore {
    /// Corpus BLEU in percent.
    pub bleu: f64,
    /// The number of pairs scored.
    pub pairs: usize,
    /// Words of a source, on average.
    pub mean_words: f64,
}

/// The scores in a file that `attn compare` wrote.
///
/// # Errors
/// If it is no such file.
pub fn read_bleu_by_length(json: &str) -> Result<BleuByLength, serde_json::Error> {
    serde_json::from_str(json)
}
