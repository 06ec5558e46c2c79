//! The entries of Llama and of the architectures in its layout.

use serde_json::{Map, Value, json};

use super::{has, head_width, heads, object};
use crate::architecture::Architecture;
use crate::error::GgufError;
use crate::file::Gguf;
use crate::header::{List, Value as Entry};
use crate::keys::{Keys, WINDOW};
use crate::rope;

/// The key of the layers with a window: every so many have none, or a Boolean for each.
const PATTERN: &str = "attention.sliding_window_pattern";
/// The key of the length of texts in training.
const TRAINED: &str = "rope.scaling.original_context_length";
/// The numbers of layers of the largest Gemma 2 and Gemma 3, whose scores are divided by another root than those of the
/// smaller ones. No key says so; llama.cpp tells them by these numbers, too.
const LARGEST: [(Architecture, u64); 2] = [(Architecture::Gemma2, 46), (Architecture::Gemma3, 62)];

/// Returns the entries of Llama or of an architecture in its layout.
pub fn llama(file: &Gguf<'_>, keys: &Keys<'_>) -> Result<Map<String, Value>, GgufError> {
    let width = head_width(file)?;
    let heads = heads(file)?;
    let values = keys.natural("attention.value_length")?.unwrap_or(width);
    if values != width {
        let fault = format!("differs from the width of keys, {width}, which is not implemented");
        return Err(GgufError::value(
            keys.key("attention.value_length"),
            values,
            fault,
        ));
    }
    let mut config = object(json!({
        "hidden_act": "silu",
        "hidden_size": keys.needed("embedding_length")?,
        "intermediate_size": keys.needed("feed_forward_length")?,
        "num_hidden_layers": keys.needed("block_count")?,
        "num_attention_heads": heads.queries,
        "num_key_value_heads": heads.keys,
        "head_dim": width,
        "max_position_embeddings": keys.needed("context_length")?,
        "rms_norm_eps": keys.needed_real("attention.layer_norm_rms_epsilon")?,
        "rope_parameters": rope::parameters(file, keys, width)?,
        "attention_bias": file.architecture != Architecture::Qwen2 && has(file, ".attn_q.bias"),
        "mlp_bias": has(file, ".ffn_up.bias"),
        "use_sliding_window": false,
    }));
    config.extend(own(keys, width)?);
    Ok(config)
}

/// Returns the entries that only some of the architectures have.
fn own(keys: &Keys<'_>, width: u64) -> Result<Map<String, Value>, GgufError> {
    let window = keys.natural(WINDOW)?.filter(|window| *window > 0);
    Ok(object(match keys.architecture {
        Architecture::Mistral => json!({"sliding_window": window}),
        Architecture::Phi3 => {
            let mut own = object(json!({"sliding_window": window}));
            if let Some(trained) = keys.natural(TRAINED)? {
                own.insert(
                    "original_max_position_embeddings".to_owned(),
                    json!(trained),
                );
            }
            Value::Object(own)
        }
        Architecture::Gemma2 => {
            let mut own = gemma(keys, width)?;
            let cap = keys.real("attn_logit_softcapping")?;
            set(&mut own, "attn_logit_softcapping", cap);
            // Llama.cpp and `transformers` agree on the window of files that do not give it.
            set(&mut own, "sliding_window", keys.natural(WINDOW)?);
            set(&mut own, "layer_types", layer_types(keys)?);
            Value::Object(own)
        }
        Architecture::Gemma3 => {
            let mut own = gemma(keys, width)?;
            own.insert("sliding_window".to_owned(), json!(window));
            let types = match window {
                Some(_) => layer_types(keys)?,
                None => Some(vec![FULL; layers(keys)?]),
            };
            set(&mut own, "layer_types", types);
            Value::Object(own)
        }
        _ => json!({}),
    }))
}

fn set(config: &mut Map<String, Value>, name: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        config.insert(name.to_owned(), value.into());
    }
}

/// Returns the entries that both Gemmas have.
fn gemma(keys: &Keys<'_>, width: u64) -> Result<Map<String, Value>, GgufError> {
    let is_largest = LARGEST.contains(&(keys.architecture, keys.needed("block_count")?));
    let scalar = match is_largest {
        true => {
            let heads = keys.needed("attention.head_count")?;
            keys.needed("embedding_length")? / heads.max(1)
        }
        false => width,
    };
    let mut gemma = object(json!({
        "hidden_activation": "gelu_pytorch_tanh",
        "query_pre_attn_scalar": scalar,
    }));
    let cap = keys.real("final_logit_softcapping")?;
    set(&mut gemma, "final_logit_softcapping", cap);
    Ok(gemma)
}

const FULL: &str = "full_attention";
const SLIDING: &str = "sliding_attention";
/// The most layers for which a list is made.
const MOST_LAYERS: u64 = 1 << 16;

fn layers(keys: &Keys<'_>) -> Result<usize, GgufError> {
    let layers = keys.needed("block_count")?;
    let is_right = |layers: &usize| *layers as u64 <= MOST_LAYERS;
    let number = usize::try_from(layers).ok().filter(is_right);
    number.ok_or_else(|| {
        GgufError::value(keys.key("block_count"), layers, "is not a number of layers")
    })
}

/// Returns `layer_types`; `None` if the file leaves them to the architecture.
fn layer_types(keys: &Keys<'_>) -> Result<Option<Vec<&'static str>>, GgufError> {
    let types = |slides: bool| if slides { SLIDING } else { FULL };
    let key = keys.key(PATTERN);
    Ok(match keys.metadata.get(&key) {
        None => None,
        Some(Entry::Natural(0)) => Some(vec![SLIDING; layers(keys)?]),
        Some(Entry::Natural(every)) => {
            let numbers = 1..=layers(keys)? as u64;
            let slides = numbers.map(|number| types(!number.is_multiple_of(*every)));
            Some(slides.collect())
        }
        Some(Entry::List(List::Scalars(list))) => {
            let slides = list.iter().map(|slides| match slides {
                Entry::Boolean(slides) => Ok(types(slides)),
                other => Err(GgufError::value(&key, other, "is not a Boolean")),
            });
            Some(slides.collect::<Result<_, _>>()?)
        }
        Some(other) => {
            let fault = "is neither a number of layers nor a list of Booleans";
            return Err(GgufError::value(&key, other, fault));
        }
    })
}
