//! The entries of BERT.

use serde_json::{Map, Value, json};

use super::{object, rows};
use crate::error::GgufError;
use crate::file::Gguf;
use crate::keys::Keys;

/// The table of token types.
const TYPES: &str = "token_types.weight";

/// Returns the entries of BERT. Files have the rows of RoBERTa's position table that texts use, which then counts as
/// BERT's.
pub fn bert(file: &Gguf<'_>, keys: &Keys<'_>) -> Result<Map<String, Value>, GgufError> {
    Ok(object(json!({
        "hidden_act": "gelu",
        "hidden_size": keys.needed("embedding_length")?,
        "intermediate_size": keys.needed("feed_forward_length")?,
        "num_hidden_layers": keys.needed("block_count")?,
        "num_attention_heads": keys.needed("attention.head_count")?,
        "max_position_embeddings": keys.needed("context_length")?,
        "type_vocab_size": rows(file, TYPES)?,
        "layer_norm_eps": keys.needed_real("attention.layer_norm_epsilon")?,
    })))
}
