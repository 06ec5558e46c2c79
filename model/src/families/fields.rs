//! The types of the entries of `config.json`, for all families together. Entries that no inference uses are checked
//! too, since a file that is wrong in one is likely to be wrong in others.

use serde_json::{Map, Value};

use crate::error::ModelError;

/// The type of an entry; every entry may also be `null`.
#[derive(Clone, Copy)]
enum Kind {
    /// A share, such as a dropout rate.
    Share,
    /// A small number that prevents division by zero.
    Epsilon,
    /// A standard deviation of new weights, or its factor.
    Scale,
    /// A switch, true or false.
    Flag,
    /// A count, such as a width.
    Size,
    /// A word, such as an activation.
    Text,
    /// A list of words.
    Texts,
    /// The number of a token, −1 for none, or a list of such numbers.
    Tokens,
    /// The kind of attention of each layer.
    LayerTypes,
    /// Heads that were pruned; the list must be empty.
    PrunedHeads,
}

/// The largest count that is accepted.
const LARGEST_SIZE: u64 = 1 << 48;
/// The largest scale of weights that is accepted.
const LARGEST_SCALE: f64 = 1000.0;

/// Refuses entries of a wrong type, or with a value that makes no sense.
///
/// # Errors
/// The first of them, by name.
pub fn check(config: &Map<String, Value>) -> Result<(), ModelError> {
    for (name, value) in config {
        let Some(kind) = kind(name).filter(|_| !value.is_null()) else {
            continue;
        };
        if let Some(expected) = kind.misses(value) {
            return Err(ModelError::Field {
                file: "config.json",
                field: name.clone(),
                fault: format!("{} is not {expected}", shortened(value)),
            });
        }
    }
    Ok(())
}

/// The longest value that a message repeats, in characters.
const LONGEST_VALUE: usize = 60;

fn shortened(value: &Value) -> String {
    let value = value.to_string();
    match value.char_indices().nth(LONGEST_VALUE) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value,
    }
}

impl Kind {
    /// Returns a description of the expected type if the value does not have it.
    fn misses(self, value: &Value) -> Option<&'static str> {
        let number = value.as_f64();
        let is_between =
            |least: f64, most: f64| number.is_some_and(|number| least <= number && number <= most);
        let (is_right, expected) = match self {
            Kind::Share => (is_between(0.0, 1.0), "a number between 0 and 1"),
            Kind::Epsilon => (
                number.is_some_and(|number| 0.0 < number && number < 1.0),
                "a positive number below 1",
            ),
            Kind::Scale => (
                is_between(0.0, LARGEST_SCALE),
                "a number between 0 and 1000",
            ),
            Kind::Flag => (value.is_boolean(), "true or false"),
            Kind::Size => (
                value.as_u64().is_some_and(|size| size <= LARGEST_SIZE),
                "a whole number from 0 on that could be a size",
            ),
            Kind::Text => (value.is_string(), "a text in quotation marks"),
            Kind::Texts => (
                value
                    .as_array()
                    .is_some_and(|list| list.iter().all(Value::is_string)),
                "a list of texts",
            ),
            Kind::Tokens => (
                match value {
                    Value::Array(list) => !list.is_empty() && list.iter().all(is_token),
                    value => is_token(value),
                },
                "the number of a token, or a list of such numbers that is not empty",
            ),
            Kind::LayerTypes => (
                value
                    .as_array()
                    .is_some_and(|list| list.iter().all(is_layer_type)),
                "a list of \"full_attention\" and \"sliding_attention\", which are all that is implemented",
            ),
            Kind::PrunedHeads => (
                value.as_object().is_some_and(Map::is_empty),
                "empty: heads that were cut out are not implemented",
            ),
        };
        (!is_right).then_some(expected)
    }
}

fn is_layer_type(value: &Value) -> bool {
    value == "full_attention" || value == "sliding_attention"
}

fn is_token(value: &Value) -> bool {
    value
        .as_i64()
        .is_some_and(|token| (-1..=i64::from(u32::MAX)).contains(&token))
}

/// Returns the type of the entry with that name; `None` if only its family knows the entry, or nothing does.
fn kind(name: &str) -> Option<Kind> {
    let is_share =
        name.contains("dropout") || name.ends_with("_pdrop") || name.ends_with("layerdrop");
    let of_name = match name {
        "init_std" | "initializer_range" | "initializer_factor" | "initializer_cutoff_factor" => {
            Kind::Scale
        }
        "layer_types" => Kind::LayerTypes,
        "pruned_heads" => Kind::PrunedHeads,
        "architectures" => Kind::Texts,
        _ if FLAGS.contains(&name) => Kind::Flag,
        _ if SIZES.contains(&name) => Kind::Size,
        _ if TEXTS.contains(&name) => Kind::Text,
        _ if name.ends_with("_token_id") => Kind::Tokens,
        _ if name.ends_with("_eps") || name.ends_with("_epsilon") => Kind::Epsilon,
        _ if is_share => Kind::Share,
        _ => return None,
    };
    Some(of_name)
}

const FLAGS: [&str; 35] = [
    "add_bias_logits",
    "add_cross_attention",
    "add_final_layer_norm",
    "attention_bias",
    "classifier_bias",
    "decoder_bias",
    "deterministic_flash_attn",
    "gradient_checkpointing",
    "is_decoder",
    "is_encoder_decoder",
    "is_gated_act",
    "mlp_bias",
    "norm_bias",
    "normalize_before",
    "normalize_embedding",
    "output_attentions",
    "output_hidden_states",
    "reorder_and_upcast_attn",
    "return_dict",
    "scale_attn_by_inverse_layer_idx",
    "scale_attn_weights",
    "scale_decoder_outputs",
    "scale_embedding",
    "share_encoder_decoder_embeddings",
    "sinusoidal_pos_embds",
    "sparse_prediction",
    "static_position_embeddings",
    "summary_proj_to_labels",
    "summary_use_proj",
    "tie_encoder_decoder",
    "tie_word_embeddings",
    "use_bidirectional_attention",
    "use_cache",
    "use_parallel_residual",
    "use_sliding_window",
];

const SIZES: [&str; 45] = [
    "chunk_size_feed_forward",
    "d_ff",
    "d_kv",
    "d_model",
    "decoder_attention_heads",
    "decoder_ffn_dim",
    "decoder_layers",
    "decoder_vocab_size",
    "dim",
    "encoder_attention_heads",
    "encoder_ffn_dim",
    "encoder_layers",
    "global_attn_every_n_layers",
    "head_dim",
    "hidden_dim",
    "hidden_size",
    "intermediate_size",
    "local_attention",
    "max_position_embeddings",
    "max_window_layers",
    "n_ctx",
    "n_embd",
    "n_head",
    "n_heads",
    "n_inner",
    "n_layer",
    "n_layers",
    "n_positions",
    "no_rope_layer_interval",
    "num_attention_heads",
    "num_decoder_layers",
    "num_heads",
    "num_hidden_layers",
    "num_key_value_heads",
    "num_labels",
    "num_layers",
    "pretraining_tp",
    "relative_attention_max_distance",
    "relative_attention_num_buckets",
    "sliding_window",
    "sliding_window_pattern",
    "_sliding_window_pattern",
    "type_vocab_size",
    "vocab_size",
    "original_max_position_embeddings",
];

const TEXTS: [&str; 18] = [
    "_name_or_path",
    "activation",
    "activation_function",
    "classifier_activation",
    "classifier_pooling",
    "dense_act_fn",
    "dtype",
    "feed_forward_proj",
    "hidden_act",
    "hidden_activation",
    "model_type",
    "position_embedding_type",
    "problem_type",
    "summary_activation",
    "summary_type",
    "tokenizer_class",
    "torch_dtype",
    "transformers_version",
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    /// The contents of the file that `settings.py` wrote.
    #[derive(Deserialize)]
    struct Installed {
        configurations: BTreeMap<String, Map<String, Value>>,
    }

    /// The names of entries that are objects or follow no rule.
    const FREE: [&str; 9] = [
        "id2label",
        "label2id",
        "no_rope_layers",
        "query_pre_attn_scalar",
        "attn_logit_softcapping",
        "final_logit_softcapping",
        "rope_parameters",
        "per_layer_config",
        "sparse_pred_ignore_index",
    ];

    #[test]
    fn every_entry_of_transformers_is_known_and_its_default_makes_sense() {
        let path =
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/settings.json");
        let installed: Installed =
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        assert_eq!(installed.configurations.len(), 20);
        for (family, entries) in installed.configurations {
            for name in entries.keys() {
                let is_known = kind(name).is_some() || FREE.contains(&name.as_str());
                assert!(is_known, "{family}: `{name}` is not known");
            }
            assert!(check(&entries).is_ok(), "{family}");
        }
    }

    #[test]
    fn nonsense_is_named() {
        for (name, value) in [
            ("hidden_dropout_prob", json!("x")),
            ("attention_dropout", json!(-0.1)),
            ("resid_pdrop", json!(true)),
            ("encoder_layerdrop", json!(2)),
            ("layer_norm_eps", json!(1e9)),
            ("layer_norm_epsilon", json!(0)),
            ("rms_norm_eps", json!("1e-6")),
            ("initializer_range", json!(1e9)),
            ("init_std", json!([0.02])),
            ("use_cache", json!("yes")),
            ("decoder_vocab_size", json!(-5)),
            ("max_window_layers", json!(2.5)),
            ("torch_dtype", json!(16)),
            ("architectures", json!("BertForMaskedLM")),
            ("sep_token_id", json!("[SEP]")),
            ("eos_token_id", json!([])),
            ("pad_token_id", json!(-2)),
            ("layer_types", json!(["full_attention", "linear_attention"])),
            ("pruned_heads", json!({"0": [1]})),
        ] {
            let Value::Object(config) = json!({ name: value }) else {
                unreachable!()
            };
            let message = check(&config).unwrap_err().to_string();
            assert!(message.starts_with("config.json: `"), "{message}");
            assert!(message.contains(name), "{message}");
        }
    }
}
