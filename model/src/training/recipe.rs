//! The recipe: all settings that determine the result of a training run.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{LongTest, Schedule, Task, TrainError};
use crate::bert::BertConfig;
use crate::gpt2::Gpt2Config;
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
    /// The training of the tokenizer.
    #[serde(default)]
    pub tokenizer: Option<TokenizerRecipe>,
    /// The artificial task to learn in place of files.
    #[serde(default)]
    pub task: Option<Task>,
    /// The architecture and its sizes; `vocab_size` is the tokenizer's.
    pub model: ModelRecipe,
    /// The settings of the optimizer.
    pub optimization: Optimization,
}

impl Recipe {
    /// Checks that its numbers are valid and its sources agree; the model's sizes are checked when it is built.
    ///
    /// # Errors
    /// The first number that is not finite or out of range, or sources that differ in `long_test`.
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
        self.check_long_test()
    }

    /// Checks that all sources hold out the same long sentences: the trained model's `config.json` has one entry for
    /// all of them.
    fn check_long_test(&self) -> Result<(), TrainError> {
        let Some((first, others)) = self.data.split_first() else {
            return Ok(());
        };
        match others.iter().find(|it| it.long_test != first.long_test) {
            Some(other) => Err(TrainError::LongTest {
                first: first.file.display().to_string(),
                other: other.file.display().to_string(),
            }),
            None => Ok(()),
        }
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
    /// The token in front of every source sentence that names the target language, such as `>>fra<<` (the convention of
    /// Marian's multilingual checkpoints).
    #[serde(default)]
    pub prefix: Option<String>,
    /// The number of times that each pair occurs in an epoch.
    #[serde(default = "once")]
    pub repeat: usize,
    /// The long sentences that are held out as well, for scores by length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long_test: Option<LongTest>,
}

fn once() -> usize {
    1
}

/// The training of the tokenizer: byte-pair encoding over NFKC text.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenizerRecipe {
    /// Pieces, special tokens included.
    pub vocab_size: usize,
    /// Characters kept; rarer ones become `<unk>`.
    pub alphabet: usize,
}

/// An architecture with its sizes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "family", rename_all = "snake_case")]
#[allow(
    clippy::large_enum_variant,
    reason = "there are few of them, and none is moved in a loop"
)]
pub enum ModelRecipe {
    /// A Transformer encoder–decoder, as Marian's.
    Marian(MarianConfig),
    /// A decoder-only Transformer, as Llama's.
    Llama(LlamaConfig),
    /// A decoder-only Transformer, as GPT-2's.
    Gpt2(Gpt2Config),
    /// An encoder that guesses masked words, as BERT's.
    Bert(BertConfig),
    /// A recurrent encoder–decoder of GRUs.
    Gru(GruConfig),
    /// Encoder–decoder of one block, used at every depth.
    Universal(UniversalConfig),
}

/// The settings of the optimizer and its schedule.
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
    /// The number of steps between checkpoints.
    pub checkpoint_every: usize,
    /// Longest sentence, in tokens; longer ones are left out.
    pub max_tokens: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe(first: &str, second: &str) -> Recipe {
        let source = |file: &str, long_test: &str| {
            format!("[[data]]\nfile = \"{file}\"\nlanguage = \"x\"\ntarget = 0\n{long_test}\n")
        };
        let text = format!(
            r#"
            seed = 1
            {}
            {}
            [model]
            family = "llama"
            vocab_size = 8
            hidden_size = 4
            intermediate_size = 4
            num_hidden_layers = 1
            num_attention_heads = 1
            rms_norm_eps = 1e-5
            max_position_embeddings = 8
            [optimization]
            steps = 1
            batch_tokens = 8
            checkpoint_every = 1
            max_tokens = 8
            schedule = {{ peak = 0.01, warmup_steps = 1, decay = "inverse-square-root" }}
            "#,
            source("a.tsv", first),
            source("b.tsv", second)
        );
        toml::from_str(&text).unwrap()
    }

    #[test]
    fn sources_that_differ_in_long_test_are_refused() {
        let [rule, other] =
            [12, 14].map(|words| format!("long_test = {{ words = {words}, per_mille = 200 }}"));
        for (first, second) in [(&rule, &rule), (&String::new(), &String::new())] {
            assert!(recipe(first, second).check().is_ok());
        }
        for (first, second) in [
            (&rule, &other),
            (&rule, &String::new()),
            (&String::new(), &rule),
        ] {
            let refused = recipe(first, second).check().unwrap_err().to_string();
            assert_eq!(
                refused,
                "the recipe's [[data]] entries for a.tsv and b.tsv differ in `long_test`: give all entries the same"
            );
        }
    }
}
