//! A checkpoint's files in a directory, whole or in shards, and hints if other files are found instead.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use safetensors::SafeTensors;
use serde::Deserialize;

use super::CheckpointFiles;
use crate::error::ModelError;
use crate::files::{LARGEST_TEXT, LARGEST_WEIGHTS, read_regular, read_weights};
use crate::generation::GENERATION_FILE;

const CONFIG: &str = "config.json";
const WEIGHTS: &str = "model.safetensors";
const TOKENIZER: &str = "tokenizer.json";
/// The index that maps each tensor to its shard of the weights.
const INDEX: &str = "model.safetensors.index.json";

/// Files of adapters, which are not a model by themselves, and advice for each.
const ADAPTERS: [(&str, &str); 2] = [
    ("adapter_model.safetensors", ADAPTER),
    ("adapter_model.bin", ADAPTER),
];
/// Files that programs put weights in, and advice for each.
const OTHER_WEIGHTS: [(&str, &str); 4] = [
    ("pytorch_model.bin", SAVE_AGAIN),
    ("pytorch_model.bin.index.json", SAVE_AGAIN),
    ("tf_model.h5", SAVE_AGAIN),
    ("flax_model.msgpack", SAVE_AGAIN),
];
const SAVE_AGAIN: &str = "load it with transformers' `from_pretrained` and write it with `save_pretrained`, which makes a \
                          model.safetensors";
const ADAPTER: &str = "it changes another model: merge the two with `merge_and_unload()` of peft, and save the result";

/// Files that programs keep tokenizers in, and advice for each.
const OTHER_TOKENIZERS: [(&str, &str); 9] = [
    ("source.spm", MARIAN),
    ("target.spm", MARIAN),
    ("spiece.model", CONVERT),
    ("tokenizer.model", CONVERT),
    ("sentencepiece.bpe.model", CONVERT),
    ("vocab.txt", CONVERT),
    ("merges.txt", CONVERT),
    ("vocab.json", CONVERT),
    ("tokenizer_config.json", CONVERT),
];
const CONVERT: &str = "load it with transformers' `AutoTokenizer.from_pretrained` and write it with `save_pretrained`, which \
                       makes a tokenizer.json";
const MARIAN: &str = "transformers writes no tokenizer.json of these: one has to be made with the library `tokenizers`, a \
                      Unigram model of the pieces of source.spm with the numbers of vocab.json";

/// Reads the files of the checkpoint in `directory`.
///
/// # Errors
/// If one cannot be read, or is missing; the error then names the files found instead, with advice.
pub fn read(directory: &Path) -> Result<CheckpointFiles, ModelError> {
    let path = |name: &str| directory.join(name);
    if directory.is_file() {
        return Err(ModelError::Directory(directory.display().to_string()));
    }
    let is_there = |name: &str| path(name).try_exists().unwrap_or(true);
    let needed = |name: &'static str, others: &dyn Fn(&Path) -> Option<String>| {
        let help = (!is_there(name)).then(|| others(directory)).flatten();
        help.map_or(Ok(path(name)), |help| {
            Err(ModelError::Missing { name, help })
        })
    };
    let config = read_regular(&needed(CONFIG, &of_another_kind)?, LARGEST_TEXT)?;
    let tokenizer = read_regular(&needed(TOKENIZER, &other_tokenizer)?, LARGEST_TEXT)?;
    let weights = match !is_there(WEIGHTS) && is_there(INDEX) {
        true => in_parts(directory)?,
        false => read_weights(&needed(WEIGHTS, &other_weights)?)?,
    };
    let generation = match is_there(GENERATION_FILE) {
        true => Some(read_regular(&path(GENERATION_FILE), LARGEST_TEXT)?),
        false => None,
    };
    Ok(CheckpointFiles {
        config,
        weights,
        tokenizer,
        generation,
    })
}

/// Returns the files of another kind of checkpoint, with advice.
fn of_another_kind(directory: &Path) -> Option<String> {
    found(directory, &ADAPTERS).or_else(|| {
        let entries = std::fs::read_dir(directory).ok()?;
        let mut names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let name = names.find(|name| name.ends_with(".gguf"))?;
        Some(format!(
            "there is {name}: GGUF is not read; take the files that it was made of, which transformers reads"
        ))
    })
}

/// Returns the files found in place of the weights, with advice.
fn other_weights(directory: &Path) -> Option<String> {
    of_another_kind(directory).or_else(|| found(directory, &OTHER_WEIGHTS))
}

/// Returns the files found in place of the tokenizer, with advice.
fn other_tokenizer(directory: &Path) -> Option<String> {
    found(directory, &OTHER_TOKENIZERS)
}

/// Names those of these files that exist, with advice on the first.
fn found(directory: &Path, others: &[(&str, &str)]) -> Option<String> {
    let there = others
        .iter()
        .filter(|(name, _)| directory.join(name).is_file());
    let there: Vec<_> = there.collect();
    let (_, help) = there.first()?;
    let names: Vec<&str> = there.iter().map(|(name, _)| *name).collect();
    Some(format!("there is {}: {help}", names.join(", ")))
}

/// The contents of [`INDEX`], which lists the shards.
#[derive(Deserialize)]
struct Index {
    /// The file of each tensor.
    weight_map: BTreeMap<String, String>,
}

/// Reads the weights of a checkpoint in several files and joins them.
fn in_parts(directory: &Path) -> Result<Vec<u8>, ModelError> {
    let refused = |message: String| ModelError::Weights(format!("{INDEX}: {message}"));
    let index = read_regular(&directory.join(INDEX), LARGEST_TEXT)?;
    let index: Index =
        serde_json::from_slice(&index).map_err(|error| refused(error.to_string()))?;
    let mut parts: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
    let mut bytes = 0;
    for part in index.weight_map.values() {
        if parts.contains_key(part.as_str()) {
            continue;
        }
        if !is_name(part) {
            return Err(refused(format!("“{part}” is no name of a file beside it")));
        }
        let read = read_weights(&directory.join(part))?;
        bytes += read.len() as u64;
        if bytes > LARGEST_WEIGHTS {
            return Err(refused(format!(
                "the parts have more than {LARGEST_WEIGHTS} bytes together"
            )));
        }
        parts.insert(part, read);
    }
    let mut files = BTreeMap::new();
    for (part, bytes) in &parts {
        let file = SafeTensors::deserialize(bytes)
            .map_err(|error| ModelError::Weights(format!("{part}: {error}")))?;
        files.insert(*part, file);
    }
    let mut tensors = vec![];
    for (name, part) in &index.weight_map {
        let tensor = files.get(part.as_str()).map(|file| file.tensor(name));
        match tensor {
            Some(Ok(tensor)) => tensors.push((name, tensor)),
            _ => return Err(refused(format!("`{name}` is not in {part}"))),
        }
    }
    safetensors::serialize(tensors, None).map_err(|error| refused(error.to_string()))
}

/// Returns true if this is a plain file name, without a path to another directory.
fn is_name(part: &str) -> bool {
    let mut components = Path::new(part).components();
    matches!(
        (components.next(), components.next()),
        (Some(Component::Normal(_)), None)
    )
}
