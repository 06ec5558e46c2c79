//! Scores of a checkpoint on sentence pairs: BLEU of its translations, perplexity of its targets.

mod alignment;
mod by_length;
mod counts;
mod depths;
mod importance;
mod lengths;
mod pairs;
mod roles;

use std::path::Path;

use attention_trace::{
    Edit, Quantities, Search, Token,
    judging::{Bleu, Tokenization, chinese_words},
};
use burn::prelude::*;

use crate::checkpoint::Checkpoint;
use crate::decoding::log_softmax;
use crate::error::ModelError;
use crate::files::{LARGEST_TEXT, read_regular};
use crate::inference::{RunOptions, forward, no_logits, read_logits, writes_nothing};
use crate::tap::Tap;
use crate::training::{Example, LONG_TEST_ENTRY, LongTest};

pub use self::alignment::{AlignedWords, align, aligned_words};
pub use self::by_length::{fill, mean_words};
pub use self::counts::{PairCounts, Scores, Scoring, evaluate};
pub use self::depths::{DepthBin, Depths, depths};
pub use self::importance::{HeadCounts, choose};
pub use self::lengths::{score_length, task_of};
pub use self::pairs::{
    Columns, LineFault, NumberedLine, PairFile, PairFilter, PairLines, line_of, read_lines,
};
pub use self::roles::roles_apart;

/// The number of tokens by which a translation may exceed its source.
const EXTRA_TOKENS: usize = 40;

/// Translates `text` with these edits in every pass; the best hypothesis.
///
/// # Errors
/// If the input is empty or too long for the model, an edit cannot be made, or the device fails.
pub async fn translate(
    checkpoint: &Checkpoint,
    text: &str,
    search: Search,
    edits: &[Edit],
    device: &Device,
) -> Result<String, ModelError> {
    let options = RunOptions {
        search,
        prefix: vec![],
        max_new_tokens: checkpoint.encode_input(text)?.len() + EXTRA_TOKENS,
        quantities: Quantities::NONE,
        edits: edits.to_vec(),
    };
    let sequences = checkpoint
        .decode(text, &options, device, async |_| true)
        .await?;
    checkpoint.tokenizer.decode(
        sequences
            .first()
            .map_or(&[][..], |sequence| &sequence.tokens),
    )
}

/// Returns the long sentences that the model in `directory` has not learned from, if its `config.json` names them.
///
/// # Errors
/// If the file cannot be read.
pub fn long_test_of(directory: &Path) -> Result<Option<LongTest>, ModelError> {
    let entry = config_entry(directory, LONG_TEST_ENTRY)?;
    Ok(entry.map(serde_json::from_value).transpose()?)
}

/// Returns an entry of the `config.json` in `directory`.
fn config_entry(directory: &Path, name: &str) -> Result<Option<serde_json::Value>, ModelError> {
    let bytes = read_regular(&directory.join("config.json"), LARGEST_TEXT)?;
    let mut config: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(&bytes)?;
    Ok(config.remove(name))
}

/// A way of splitting a text into the words that BLEU counts, as in sacreBLEU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BleuTokenizer {
    /// `13a`: words and punctuation.
    #[default]
    Words,
    /// `zh`: every Chinese character is a word.
    Chinese,
}

impl BleuTokenizer {
    /// Counts the n-grams of a translation and its reference.
    fn count(self, reference: &str, translation: &str) -> Bleu {
        Bleu::of(&self.words(reference), &self.words(translation))
    }

    fn words(self, text: &str) -> Vec<String> {
        match self {
            BleuTokenizer::Words => Tokenization::Words.tokens(text),
            BleuTokenizer::Chinese => chinese_words(text),
        }
    }
}

/// `−Σ log p` of the target's tokens with these edits, and their number.
async fn negative_log_likelihood(
    checkpoint: &Checkpoint,
    pair: &Example,
    edits: &[Edit],
    device: &Device,
) -> Result<(f64, usize), ModelError> {
    if checkpoint.spec().decoder.is_none() {
        return Err(writes_nothing());
    }
    let ids = |tokens: Vec<Token>| tokens.into_iter().map(|token| token.id).collect();
    let source: Option<Vec<u32>> = match &pair.source {
        Some(text) => Some(ids(checkpoint.encode_input(text)?)),
        None => None,
    };
    let target = checkpoint.tokenizer.target().encode(&pair.target)?;
    let target: Vec<u32> = ids(checkpoint.checked(target, checkpoint.spec().vocabulary)?);
    let control = checkpoint.control();
    let (input, labels) = match control.start {
        Some(start) => ([&[start], &target[..target.len() - 1]].concat(), target),
        // A language model's tokenizer puts the start in front of every text.
        None => {
            let labels = [&target[1..], control.end().as_slice()].concat();
            (target, labels)
        }
    };
    let sides = (source.as_deref(), Some(input.as_slice()));
    let mut tap = Tap::quiet().with_edits(edits);
    let logits = forward(&*checkpoint.model, sides, device, &mut tap).ok_or_else(no_logits)?;
    let rows = read_logits(logits).await?;
    let nll = rows
        .iter()
        .zip(&labels)
        .map(|(row, &label)| -f64::from(log_softmax(row)[label as usize]))
        .sum();
    Ok((nll, labels.len()))
}
