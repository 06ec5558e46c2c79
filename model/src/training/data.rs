//! The data of a run: files of sentences, or an artificial task.

use std::path::Path;

use super::batch::Encoded;
use super::corpus::{Corpus, Example};
use super::files::{TOKENIZER, read, write};
use super::masking::Masking;
use super::task::Task;
use super::tokenizer::{Around, MASKED_TOKENS, character_tokenizer, train_tokenizer};
use super::{ModelRecipe, Recipe, Source, TokenizerRecipe, TrainError};
use crate::error::ModelError;
use crate::tokenizer::Tokenizer;

/// The tokenised examples of a run.
pub struct Data {
    /// The examples to learn from.
    pub train: Vec<Encoded>,
    /// The validation sets, each with its name.
    pub validation: Vec<(String, Vec<Encoded>)>,
    /// The masking of words in the examples, which are whole sentences then; `None` if each next token is predicted.
    pub masking: Option<Masking>,
}

impl Data {
    /// Returns the size of the vocabulary and the examples of `recipe`, whose files are in `directory`. The tokenizer
    /// is the one in `out`, trained first if there is none.
    ///
    /// # Errors
    /// If the recipe names no data, or data that cannot be used.
    pub fn of(
        recipe: &Recipe,
        directory: Option<&Path>,
        out: &Path,
    ) -> Result<(usize, Self), TrainError> {
        let (tokenizer, data) = match (&recipe.task, &recipe.tokenizer, directory) {
            (Some(task), None, _) if recipe.data.is_empty() => Self::of_task(recipe, task, out)?,
            (None, Some(_), None) => return Err(TrainError::NoDirectory),
            (None, Some(plan), Some(directory)) => {
                Self::of_sentences(recipe, plan, directory, out)?
            }
            _ => return Err(TrainError::DataOrTask),
        };
        if data.train.is_empty() {
            return Err(TrainError::NoData);
        }
        Ok((tokenizer.vocabulary(), data))
    }

    fn of_task(recipe: &Recipe, task: &Task, out: &Path) -> Result<(Tokenizer, Self), TrainError> {
        task.check()?;
        let ModelRecipe::Llama(config) = &recipe.model else {
            return Err(TrainError::Task("only a decoder-only model learns it"));
        };
        let tokenizer = tokenizer_in(out, || character_tokenizer(&task.characters()))?;
        let letters = task.letters(&tokenizer)?;
        let start = needed("bos_token_id", config.bos_token_id)?;
        let encode = |sequences: Vec<Vec<u32>>| -> Vec<Encoded> {
            let encoded = sequences.iter();
            encoded
                .map(|sequence| task.encode(start, sequence))
                .collect()
        };
        let (held_out, twice) = (task.examples / 40, 2 * task.longest);
        // Seeds apart from each other: what is watched is not what is learned from.
        let seed = recipe.seed.rotate_left(32);
        let data = Data {
            train: encode(task.sequences(&letters, task.examples, recipe.seed)),
            validation: vec![
                (
                    "inside".to_owned(),
                    encode(task.sequences(&letters, held_out, seed)),
                ),
                (
                    format!("length-{twice}"),
                    encode(task.sequences_of(&letters, twice, held_out, seed)),
                ),
            ],
            masking: None,
        };
        Ok((tokenizer, data))
    }

    fn of_sentences(
        recipe: &Recipe,
        plan: &TokenizerRecipe,
        directory: &Path,
        out: &Path,
    ) -> Result<(Tokenizer, Self), TrainError> {
        let corpora = recipe
            .data
            .iter()
            .map(|source| Corpus::read(source, directory))
            .collect::<Result<Vec<_>, _>>()?;
        let tokenizer = tokenizer_in(out, || {
            let around = match recipe.model {
                ModelRecipe::Llama(_) | ModelRecipe::Gpt2(_) => Around::Start,
                ModelRecipe::Bert(_) => Around::Both,
                ModelRecipe::Marian(_) | ModelRecipe::Gru(_) | ModelRecipe::Universal(_) => {
                    Around::End
                }
            };
            let sources = recipe.data.iter();
            let prefixes: Vec<_> = sources
                .filter_map(|source| source.prefix.as_deref())
                .collect();
            let sentences = sentences(recipe, &corpora).into_iter();
            train_tokenizer(plan, around, &prefixes, sentences)
        })?;
        let is_masked = matches!(recipe.model, ModelRecipe::Bert(_));
        let mut data = Data {
            train: vec![],
            validation: vec![],
            masking: is_masked.then(|| masking(&tokenizer)),
        };
        for (source, corpus) in recipe.data.iter().zip(&corpora) {
            let train = encode(recipe, source, &tokenizer, &corpus.train)?;
            for _ in 0..source.repeat {
                data.train.extend_from_slice(&train);
            }
            let validation = encode(recipe, source, &tokenizer, &corpus.validation)?;
            data.validation.push((source.language.clone(), validation));
        }
        Ok((tokenizer, data))
    }
}

/// Returns the tokenizer in `out`, trained first if there is none.
fn tokenizer_in(
    out: &Path,
    make: impl FnOnce() -> Result<String, ModelError>,
) -> Result<Tokenizer, TrainError> {
    let path = out.join(TOKENIZER);
    if !path.exists() {
        write(&path, make()?.as_bytes())?;
    }
    Ok(Tokenizer::from_json(&read(&path)?)?)
}

/// Returns the masking with a tokenizer that was trained for it.
fn masking(tokenizer: &Tokenizer) -> Masking {
    // The mask is the last of the special tokens.
    let first_word = MASKED_TOKENS.len() as u32;
    Masking {
        mask: first_word - 1,
        words: first_word..tokenizer.vocabulary() as u32,
    }
}

/// Returns every training sentence, repeated as in the recipe.
fn sentences(recipe: &Recipe, corpora: &[Corpus]) -> Vec<String> {
    let sources = recipe.data.iter().zip(corpora);
    sources
        .flat_map(|(source, corpus)| {
            let examples = corpus.train.iter();
            std::iter::repeat_n(examples, source.repeat).flatten()
        })
        .flat_map(|example| example.source.iter().chain([&example.target]).cloned())
        .collect()
}

/// Returns the examples that are not longer than the recipe allows.
fn encode(
    recipe: &Recipe,
    data: &Source,
    tokenizer: &Tokenizer,
    examples: &[Example],
) -> Result<Vec<Encoded>, TrainError> {
    let limit = recipe.optimization.max_tokens;
    let mut encoded = vec![];
    for example in examples {
        let source = match &example.source {
            Some(text) => match &data.prefix {
                Some(prefix) => ids(tokenizer, &format!("{prefix} {text}"))?,
                None => ids(tokenizer, text)?,
            },
            None => vec![],
        };
        let mut target = ids(tokenizer, &example.target)?;
        let start = match &recipe.model {
            ModelRecipe::Marian(config) => decoder_start(config.decoder_start_token_id)?,
            ModelRecipe::Gru(config) => decoder_start(config.decoder_start_token_id)?,
            ModelRecipe::Universal(config) => decoder_start(config.decoder_start_token_id)?,
            ModelRecipe::Llama(config) => continued(
                &mut target,
                config.bos_token_id,
                config.eos_token_id.first(),
            )?,
            ModelRecipe::Gpt2(config) => continued(
                &mut target,
                config.bos_token_id,
                config.eos_token_id.first(),
            )?,
            ModelRecipe::Bert(_) => {
                if let [start, words @ .., end] = target.as_slice()
                    && target.len() <= limit
                    && !words.is_empty()
                {
                    encoded.push(Encoded::masked(*start, words, *end));
                }
                continue;
            }
        };
        if source.len() <= limit && target.len() <= limit {
            encoded.push(Encoded::shifted(source, start, &target));
        }
    }
    Ok(encoded)
}

/// Returns the start token of a text that is continued. The tokenizer puts it in front; a label ends the sentence instead.
fn continued(
    target: &mut Vec<u32>,
    start: Option<u32>,
    end: Option<u32>,
) -> Result<u32, TrainError> {
    target.remove(0);
    target.push(needed("eos_token_id", end)?);
    needed("bos_token_id", start)
}

fn decoder_start(token: Option<u32>) -> Result<u32, TrainError> {
    needed("decoder_start_token_id", token)
}

/// Returns a token that the recipe's model needs to learn, or the error that names it.
fn needed(name: &'static str, token: Option<u32>) -> Result<u32, TrainError> {
    token.ok_or(TrainError::Token(name))
}

fn ids(tokenizer: &Tokenizer, text: &str) -> Result<Vec<u32>, ModelError> {
    Ok(tokenizer
        .encode(text)?
        .into_iter()
        .map(|token| token.id)
        .collect())
}
