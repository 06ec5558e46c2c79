//! `config.json` from the metadata.

mod bert;
mod gpt;
mod llama;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use crate::architecture::Architecture;
use crate::error::GgufError;
use crate::file::Gguf;
use crate::keys::Keys;

/// The embedding table, whose rows are the vocabulary.
const TABLE: &str = "token_embd.weight";
/// The output matrix, which files lack if it is the embedding table.
const HEAD: &str = "output.weight";

/// The numbers of heads of a layer.
pub(crate) struct Heads {
    pub queries: usize,
    pub keys: usize,
}

/// Returns the numbers of heads of all layers.
///
/// # Errors
/// If the metadata lack them, or give each layer its own.
pub(crate) fn heads(file: &Gguf<'_>) -> Result<Heads, GgufError> {
    let keys = Keys::of(file);
    let number = |name: &str, number: u64| {
        usize::try_from(number)
            .map_err(|_| GgufError::value(keys.key(name), number, "is not a number of heads"))
    };
    let queries = keys.needed("attention.head_count")?;
    let shared = keys.natural("attention.head_count_kv")?.unwrap_or(queries);
    Ok(Heads {
        queries: number("attention.head_count", queries)?,
        keys: number("attention.head_count_kv", shared)?,
    })
}

/// Returns the width of a head's queries and keys.
///
/// # Errors
/// As [`heads`], and if the width of the residual stream is missing.
pub(crate) fn head_width(file: &Gguf<'_>) -> Result<u64, GgufError> {
    let keys = Keys::of(file);
    let hidden = keys.needed("embedding_length")?;
    let heads = heads(file)?.queries as u64;
    let given = keys.natural("attention.key_length")?;
    Ok(given.unwrap_or(hidden / heads.max(1)))
}

/// Returns the `config.json` of the file's model, as `transformers` would write it. It has the entries that shape the
/// model; whether the sizes make one is left to the reader of `config.json`.
///
/// # Errors
/// If a value is missing, of another type, or asks for something that is not implemented.
pub fn config(file: &Gguf<'_>) -> Result<Map<String, Value>, GgufError> {
    let keys = Keys::of(file);
    keys.check()?;
    let rows = rows(file, TABLE)?;
    let mut config = match file.architecture {
        Architecture::Gpt2 => gpt::gpt2(&keys)?,
        Architecture::GptNeoX => gpt::gpt_neox(file, &keys)?,
        Architecture::Bert => bert::bert(file, &keys)?,
        _ => llama::llama(file, &keys)?,
    };
    let mut set = |name: &str, value: Value| config.insert(name.to_owned(), value);
    set("model_type", json!(file.architecture.model_type()));
    set("architectures", json!([file.architecture.class()]));
    set("vocab_size", json!(rows));
    set(
        "tie_word_embeddings",
        json!(file.header.tensor(HEAD).is_none()),
    );
    let tokens: &[(&str, &str)] = match file.architecture {
        Architecture::Bert => &[("pad_token_id", "padding_token_id")],
        _ => &[
            ("bos_token_id", "bos_token_id"),
            ("eos_token_id", "eos_token_id"),
        ],
    };
    for (name, key) in tokens {
        if let Some(token) = keys.metadata.natural(&format!("tokenizer.ggml.{key}"))? {
            set(name, json!(token));
        }
    }
    // The end of a turn, which instruct models write where others end the text: llama.cpp stops at both.
    let turn = keys.metadata.natural("tokenizer.ggml.eot_token_id")?;
    let ends = (config.get("eos_token_id").and_then(Value::as_u64), turn);
    if let (Some(text), Some(turn)) = ends
        && text != turn
    {
        config.insert("eos_token_id".to_owned(), json!([text, turn]));
    }
    Ok(config)
}

/// Returns the number of rows of a table.
fn rows(file: &Gguf<'_>, table: &str) -> Result<u64, GgufError> {
    let rows = file
        .header
        .tensor(table)
        .and_then(|table| table.shape.first());
    rows.copied().ok_or_else(|| GgufError::missing(table))
}

/// True if a layer has a tensor whose name ends so.
fn has(file: &Gguf<'_>, end: &str) -> bool {
    let mut names = file.header.tensors.iter().map(|tensor| tensor.name);
    names.any(|name| name.starts_with("blk.") && name.ends_with(end))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(entries) => entries,
        _ => Map::new(),
    }
}
