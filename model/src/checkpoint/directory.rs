//! A checkpoint's files in a directory, whole or in shards, with the tokenizer in one of two forms, or GGUF files; and
//! hints if other files are found instead.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use attention_chat::ChatFiles;
use attention_gguf::MAGIC;

use super::indexed;
use super::parts::{Parts, open_gguf};
use super::{Backing, CheckpointFiles, WeightsFile};
use crate::error::ModelError;
use crate::files::{LARGEST_TEXT, failed, open_pytorch, open_weights, read_regular};
use crate::generation::GENERATION_FILE;
use crate::picture::PREPROCESSOR_FILE;
use crate::tokenizer::Tokenizer;
use crate::tokenizer::marian::{MarianFiles, SOURCE, TARGET, TARGET_VOCABULARY, VOCABULARY};
use crate::weights::raw::PYTORCH_FILE;

const CONFIG: &str = "config.json";
const WEIGHTS: &str = "model.safetensors";
const TOKENIZER: &str = "tokenizer.json";
/// The files that may hold the template of conversations.
const TOKENIZER_CONFIG: &str = "tokenizer_config.json";
const TEMPLATE: &str = "chat_template.jinja";
/// The index that maps each tensor to its shard of the weights.
const INDEX: &str = "model.safetensors.index.json";
/// The same for weights as PyTorch stores them.
const PYTORCH_INDEX: &str = "pytorch_model.bin.index.json";

/// The files that weights are read from, the first that is there.
const FORMS: [&str; 4] = [WEIGHTS, INDEX, PYTORCH_FILE, PYTORCH_INDEX];

/// Files of adapters, which are not a model by themselves, and advice for each.
const ADAPTERS: [(&str, &str); 2] = [
    ("adapter_model.safetensors", ADAPTER),
    ("adapter_model.bin", ADAPTER),
];
/// Files that programs put weights in, and advice for each.
const OTHER_WEIGHTS: [(&str, &str); 2] = [
    ("tf_model.h5", SAVE_AGAIN),
    ("flax_model.msgpack", SAVE_AGAIN),
];
const SAVE_AGAIN: &str = "load it with transformers' `from_pretrained` and write it with `save_pretrained`, which makes a \
                          model.safetensors";
const ADAPTER: &str = "it changes another model: merge the two with `merge_and_unload()` of peft, and save the result";

/// Files that programs keep tokenizers in, and advice for each.
const OTHER_TOKENIZERS: [(&str, &str); 9] = [
    (SOURCE, MARIAN),
    (TARGET, MARIAN),
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
const MARIAN: &str = "the tokenizer of a Marian checkpoint is read from source.spm, target.spm and vocab.json together";

/// Reads the files of the checkpoint in a directory, or translates a GGUF file. The bytes of the tokenizer are left out if
/// it is not a `tokenizer.json`; a model of pictures has no tokenizer.
///
/// # Errors
/// If a file cannot be read, or is missing; the error then names the files found instead, with advice.
pub fn read(path: &Path) -> Result<(CheckpointFiles, Option<Tokenizer>), ModelError> {
    match path.is_file() {
        true if is_gguf(path)? => from_gguf(open_gguf(path)?),
        true => Err(ModelError::Directory(path.display().to_string())),
        false => match gguf_parts(path)? {
            Some(parts) => from_gguf(parts.open(path)?),
            None => read_directory(path),
        },
    }
}

fn from_gguf(
    (file, backing): (WeightsFile, Backing),
) -> Result<(CheckpointFiles, Option<Tokenizer>), ModelError> {
    let files = CheckpointFiles {
        backing,
        ..CheckpointFiles::from_gguf(file)?
    };
    let tokenizer = files.read_tokenizer()?;
    Ok((files, Some(tokenizer)))
}

/// Returns the GGUF model in several files of a directory without other weights.
fn gguf_parts(directory: &Path) -> Result<Option<Parts>, ModelError> {
    match FORMS.iter().any(|name| directory.join(name).exists()) {
        true => Ok(None),
        false => Parts::only(directory),
    }
}

/// Returns true for a file that is named as one, or begins as one.
fn is_gguf(path: &Path) -> Result<bool, ModelError> {
    let is_named = path
        .extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("gguf"));
    let mut start = vec![];
    let file = File::open(path).map_err(failed(path))?;
    file.take(MAGIC.len() as u64)
        .read_to_end(&mut start)
        .map_err(failed(path))?;
    Ok(is_named || start == MAGIC)
}

fn read_directory(directory: &Path) -> Result<(CheckpointFiles, Option<Tokenizer>), ModelError> {
    let path = |name: &str| directory.join(name);
    // Where this cannot be known, the error of reading the file says more.
    let is_there = |name: &str| !matches!(path(name).try_exists(), Ok(false));
    let needed = |name: &'static str, others: &dyn Fn(&Path) -> Option<String>| {
        let help = (!is_there(name)).then(|| others(directory)).flatten();
        help.map_or(Ok(path(name)), |help| {
            Err(ModelError::Missing { name, help })
        })
    };
    let config = read_regular(&needed(CONFIG, &of_another_kind)?, LARGEST_TEXT)?;
    let mut files = CheckpointFiles {
        config,
        ..CheckpointFiles::default()
    };
    let is_marian = [SOURCE, TARGET, VOCABULARY].into_iter().all(is_there);
    let tokenizer = match !is_there(TOKENIZER) && is_marian {
        _ if files.reads_pictures() => None,
        is_marian => {
            match is_marian {
                true => files.marian = Some(marian(directory)?),
                false => {
                    let path = needed(TOKENIZER, &other_tokenizer)?;
                    files.tokenizer = read_regular(&path, LARGEST_TEXT)?;
                }
            }
            Some(files.read_tokenizer()?)
        }
    };
    let form = FORMS.into_iter().find(|name| is_there(name));
    (files.weights, files.backing) = match form {
        Some(INDEX) => indexed::open(directory, INDEX, open_weights)?,
        Some(PYTORCH_FILE) => Backing::whole(open_pytorch(&path(PYTORCH_FILE))?),
        Some(PYTORCH_INDEX) => indexed::open(directory, PYTORCH_INDEX, open_pytorch)?,
        _ => Backing::whole(open_weights(&needed(WEIGHTS, &other_weights)?)?),
    };
    let optional = |name: &str| match is_there(name) {
        true => read_regular(&path(name), LARGEST_TEXT).map(Some),
        false => Ok(None),
    };
    files.generation = optional(GENERATION_FILE)?;
    files.preprocessor = optional(PREPROCESSOR_FILE)?;
    files.chat = ChatFiles {
        tokenizer_config: optional(TOKENIZER_CONFIG)?,
        template: optional(TEMPLATE)?,
    };
    Ok((files, tokenizer))
}

/// Reads the files of Marian's tokenizer in a directory.
fn marian(directory: &Path) -> Result<MarianFiles, ModelError> {
    let read = |name| read_regular(&directory.join(name), LARGEST_TEXT);
    let has_target = directory.join(TARGET_VOCABULARY).exists();
    Ok(MarianFiles {
        source: read(SOURCE)?,
        target: read(TARGET)?,
        vocabulary: read(VOCABULARY)?,
        target_vocabulary: has_target.then(|| read(TARGET_VOCABULARY)).transpose()?,
    })
}

/// Returns the files of another kind of checkpoint, with advice.
fn of_another_kind(directory: &Path) -> Option<String> {
    found(directory, &ADAPTERS).or_else(|| {
        // Advice alone: without it the missing file is named all the same.
        let entries = std::fs::read_dir(directory).ok()?;
        // As above; and a name that is no Unicode is not the one that is sought.
        let mut names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let name = names.find(|name| name.ends_with(".gguf"))?;
        Some(format!("there is {name}: name this file itself"))
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
