//! The entries of GPT-2 and GPT-NeoX.

use serde_json::{Map, Value, json};

use super::{has, head_width, object};
use crate::error::GgufError;
use crate::file::Gguf;
use crate::keys::Keys;
use crate::rope;

/// Returns the entries of GPT-2.
pub fn gpt2(keys: &Keys<'_>) -> Result<Map<String, Value>, GgufError> {
    Ok(object(json!({
        "activation_function": "gelu_new",
        "n_embd": keys.needed("embedding_length")?,
        "n_inner": keys.natural("feed_forward_length")?,
        "n_layer": keys.needed("block_count")?,
        "n_head": keys.needed("attention.head_count")?,
        "n_positions": keys.needed("context_length")?,
        "layer_norm_epsilon": keys.needed_real("attention.layer_norm_epsilon")?,
    })))
}

/// Returns the entries of GPT-NeoX.
pub fn gpt_neox(file: &Gguf<'_>, keys: &Keys<'_>) -> Result<Map<String, Value>, GgufError> {
    Ok(object(json!({
        "hidden_act": "gelu",
        "hidden_size": keys.needed("embedding_length")?,
        "intermediate_size": keys.needed("feed_forward_length")?,
        "num_hidden_layers": keys.needed("block_count")?,
        "num_attention_heads": keys.needed("attention.head_count")?,
        "max_position_embeddings": keys.needed("context_length")?,
        "layer_norm_eps": keys.needed_real("attention.layer_norm_epsilon")?,
        "use_parallel_residual": keys.boolean("use_parallel_residual")?.unwrap_or(true),
        "attention_bias": has(file, ".attn_qkv.bias"),
        "rope_parameters": rope::parameters(file, keys, head_width(file)?)?,
    })))
}
