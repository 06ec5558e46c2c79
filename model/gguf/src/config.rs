//! `config.json` from the metadata.

use serde_json::{Map, Value, json};

use crate::architecture::Architecture;
use crate::error::GgufError;
use crate::file::Gguf;
use crate::keys::Keys;
use crate::rope;

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

/// Returns the `config.json` of the file's model, as `transformers` would write it. It has the entries that shape the
/// model; whether the sizes make one is left to the reader of `config.json`.
///
/// # Errors
/// If a value is missing, of another type, or asks for something that is not implemented.
pub fn config(file: &Gguf<'_>) -> Result<Map<String, Value>, GgufError> {
    let keys = Keys::of(file);
    keys.check()?;
    let table = file.header.tensor(TABLE);
    let rows = table.and_then(|table| table.shape.first());
    let rows = rows.ok_or_else(|| GgufError::missing(TABLE))?;
    let mut config = match file.architecture {
        Architecture::Gpt2 => gpt2(&keys)?,
        _ => llama(file, &keys)?,
    };
    let mut set = |name: &str, value: Value| config.insert(name.to_owned(), value);
    set("model_type", json!(file.architecture.name()));
    set("vocab_size", json!(rows));
    set(
        "tie_word_embeddings",
        json!(file.header.tensor(HEAD).is_none()),
    );
    for name in ["bos_token_id", "eos_token_id"] {
        if let Some(token) = keys.metadata.natural(&format!("tokenizer.ggml.{name}"))? {
            set(name, json!(token));
        }
    }
    Ok(config)
}

/// Returns the entries of Llama and of the similar architectures.
fn llama(file: &Gguf<'_>, keys: &Keys<'_>) -> Result<Map<String, Value>, GgufError> {
    let hidden = keys.needed("embedding_length")?;
    let heads = heads(file)?;
    let width = match keys.natural("attention.key_length")? {
        Some(width) => width,
        None => hidden / (heads.queries as u64).max(1),
    };
    let values = keys.natural("attention.value_length")?.unwrap_or(width);
    if values != width {
        let fault = format!("differs from the width of keys, {width}, which is not implemented");
        return Err(GgufError::value(
            keys.key("attention.value_length"),
            values,
            fault,
        ));
    }
    let has = |end: &str| {
        let mut names = file.header.tensors.iter().map(|tensor| tensor.name);
        names.any(|name| name.starts_with("blk.") && name.ends_with(end))
    };
    let is_llama = file.architecture == Architecture::Llama;
    let config = json!({
        "architectures": [match file.architecture {
            Architecture::Qwen2 => "Qwen2ForCausalLM",
            Architecture::Qwen3 => "Qwen3ForCausalLM",
            _ => "LlamaForCausalLM",
        }],
        "hidden_act": "silu",
        "hidden_size": hidden,
        "intermediate_size": keys.needed("feed_forward_length")?,
        "num_hidden_layers": keys.needed("block_count")?,
        "num_attention_heads": heads.queries,
        "num_key_value_heads": heads.keys,
        "head_dim": width,
        "max_position_embeddings": keys.needed("context_length")?,
        "rms_norm_eps": keys.needed_real("attention.layer_norm_rms_epsilon")?,
        "rope_parameters": rope::parameters(file, keys, width)?,
        "attention_bias": file.architecture != Architecture::Qwen2 && has(".attn_q.bias"),
        "mlp_bias": is_llama && has(".ffn_up.bias"),
        "use_sliding_window": false,
    });
    Ok(object(config))
}

fn gpt2(keys: &Keys<'_>) -> Result<Map<String, Value>, GgufError> {
    let config = json!({
        "architectures": ["GPT2LMHeadModel"],
        "activation_function": "gelu_new",
        "n_embd": keys.needed("embedding_length")?,
        "n_inner": keys.natural("feed_forward_length")?,
        "n_layer": keys.needed("block_count")?,
        "n_head": keys.needed("attention.head_count")?,
        "n_positions": keys.needed("context_length")?,
        "layer_norm_epsilon": keys.needed_real("attention.layer_norm_epsilon")?,
    });
    Ok(object(config))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(entries) => entries,
        _ => Map::new(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::written::Written;

    /// A Llama of two heads of four dimensions.
    fn llama() -> Written {
        let mut written =
            Written::model("llama").with_real("llama.attention.layer_norm_rms_epsilon", 0.5);
        for (name, number) in [
            ("embedding_length", 8),
            ("feed_forward_length", 16),
            ("block_count", 1),
            ("attention.head_count", 2),
            ("context_length", 64),
        ] {
            written = written.with_number(&format!("llama.{name}"), number);
        }
        written
    }

    fn read(written: &Written) -> Result<Map<String, Value>, GgufError> {
        let bytes = written.bytes();
        config(&Gguf::read(&bytes)?)
    }

    #[test]
    fn a_configuration_is_that_of_transformers() {
        let expected = json!({
            "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_act": "silu", "vocab_size": 3,
            "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2,
            "num_key_value_heads": 2, "head_dim": 4, "max_position_embeddings": 64, "rms_norm_eps": 0.5,
            "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}, "attention_bias": false,
            "mlp_bias": false, "use_sliding_window": false, "tie_word_embeddings": true, "eos_token_id": 2,
        });
        let found = read(&llama().with_number("tokenizer.ggml.eos_token_id", 2));
        assert_eq!(Value::Object(found.unwrap()), expected);
        let wide = llama()
            .with_number("llama.attention.key_length", 6)
            .with_number("llama.attention.value_length", 6)
            .with_number("llama.attention.head_count_kv", 1)
            .with_text("llama.rope.scaling.type", "linear")
            .with_real("llama.rope.scaling.factor", 4.0);
        let found = read(&wide).unwrap();
        assert_eq!(
            (&found["head_dim"], &found["num_key_value_heads"]),
            (&json!(6), &json!(1))
        );
        let way = json!({"rope_type": "linear", "factor": 4.0, "rope_theta": 10000.0});
        assert_eq!(found["rope_parameters"], way);
    }

    #[test]
    fn what_is_not_implemented_is_named() {
        for (written, words) in [
            (
                Written::model("llama"),
                "llama.embedding_length: it is missing",
            ),
            (
                Written::model("phi3"),
                "general.architecture: phi3 is not implemented",
            ),
            (
                llama().with_text("general.type", "adapter"),
                "general.type: adapter is not a model",
            ),
            (
                llama().with_number("split.count", 3),
                "split.count: 3 parts",
            ),
            (
                llama().with_number("llama.expert_count", 8),
                "llama.expert_count: 8 is not implemented",
            ),
            (
                llama().with_number("llama.attention.sliding_window", 4096),
                "sliding_window: 4096 is not",
            ),
            (
                llama().with_boolean("llama.attention.causal", false),
                "causal: false is not",
            ),
            (
                llama().with_real("llama.logit_scale", 2.0),
                "llama.logit_scale: 2 is not",
            ),
            (
                llama().with_number("llama.attention.value_length", 6),
                "value_length: 6 differs",
            ),
            (
                llama().with_number("llama.rope.dimension_count", 2),
                "dimension_count: 2 is not the width",
            ),
            (
                llama().with_text("llama.rope.scaling.type", "longrope"),
                "type: longrope is not",
            ),
            (
                llama().with_real("llama.rope.scaling.attn_factor", 2.0),
                "attn_factor: 2 is not",
            ),
            (
                llama().with_numbers("llama.attention.head_count_kv", &[1, 2]),
                "head_count_kv: it is not a whole",
            ),
        ] {
            let refused = read(&written).unwrap_err().to_string();
            assert!(refused.contains(words), "{refused} | {words}");
        }
    }
}
