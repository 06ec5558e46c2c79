//! The recipe: everything that decides what a training run produces.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{LongTest, Schedule, Task, TrainError};
use crate::gru::GruConfig;
use crate::llama::LlamaConfig;
use crate::marian::MarianConfig;
use crate::universal::UniversalConfig;

/// A training recipe, read from a TOML file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Seed of initial weights, order of examples and dropout.
    pub seed: u64,
    /// The files to learn from.
    #[serde(default)]
    pub data: Vec<Source>,
    /// How their text is cut.
    #[serde(default)]
    pub tokenizer: Option<TokenizerRecipe>,
    /// What to learn in place of files: sequences that are made up.
    #[serde(default)]
    pub task: Option<Task>,
    /// The architecture and its sizes; `vocab_size` is the tokenizer's.
    pub model: ModelRecipe,
    /// How the weights are found.
    pub optimization: Optimization,
}

impl Recipe {
    /// Whether its numbers can be computed with; those of the model are checked when it is built.
    ///
    /// # Errors
    /// The first that is not finite or out of range.
    pub(super) fn check(&self) -> Result<(), TrainError> {
        let peak = self.optimization.schedule.peak;
        let smoothing = self.optimization.label_smoothing;
        if !(peak > 0.0 && peak.is_finite()) {
            return Err(TrainError::Rate {
                name: "optimization.schedule.peak",
                value: peak,
                allowed: "positive and finite",
            });
        }
        if !(0.0..1.0).contains(&smoothing) {
            return Err(TrainError::Rate {
                name: "optimization.label_smoothing",
                value: smoothing.into(),
                allowed: "in [0, 1)",
            });
        }
        Ok(())
    }
}

/// A tab-separated file of sentence pairs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The file's name, looked for in the directory given by `--data`.
    pub file: PathBuf,
    /// Language of the source sentences, for the report.
    pub language: String,
    /// Column of the source sentence, from 0; absent for a language model.
    #[serde(default)]
    pub source: Option<usize>,
    /// Column of the target sentence, from 0.
    pub target: usize,
    /// Column of the English sentence, which decides whether a pair is held out; the target's unless given.
    #[serde(default)]
    pub english: Option<usize>,
    /// The token that stands before every source sentence and names the target language, such as
    /// `>>fra<<` (the convention of Marian's multilingual checkpoints).
    #[serde(default)]
    pub prefix: Option<String>,
    /// How often each pair is seen in one epoch.
    #[serde(default = "once")]
    pub repeat: usize,
    /// Long sentences that are held out besides, for scores by length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long_test: Option<LongTest>,
}

fn once() -> usize {
    1
}

/// How the tokenizer is trained: byte-pair encoding over NFKC text.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenizerRecipe {
    /// Pieces, special tokens included.
    pub vocab_size: usize,
    /// Characters kept; rarer ones become `<unk>`.
    pub alphabet: usize,
}

/// The architecture.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "family", rename_all = "snake_case")]
pub enum ModelRecipe {
    /// Encoder–decoder.
    Marian(MarianConfig),
    /// Decoder-only.
    Llama(LlamaConfig),
    /// Recurrent encoder–decoder.
    Gru(GruConfig),
    /// Encoder–decoder of one block, used at every depth.
    Universal(UniversalConfig),
}

/// How the weights are found.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Optimization {
    /// Steps of the optimizer in all.
    pub steps: usize,
    /// Tokens of a batch, padding included, source and target together.
    pub batch_tokens: usize,
    /// The learning rate over time.
    pub schedule: Schedule,
    /// Share of the target distribution spread over the whole vocabulary (Szegedy et al. 2016).
    #[serde(default)]
    pub label_smoothing: f32,
    /// Steps between checkpoints.
    pub checkpoint_every: usize,
    /// Longest sentence, in tokens; longer ones are left out.
    pub max_tokens: usize,
}
