//! The sizes of a decoder-only Transformer in Llama's layout: the reading of `config.json`.

mod checks;
mod convention;
mod count;
mod facts;
mod layers;
mod rope;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Deserializer, Serialize};

pub use self::convention::Convention;
pub use self::layers::LayerType;
use super::rope::RopeParameters;
use super::tokens::Tokens;
use crate::Nonlinearity;
use crate::positions::{Buckets, PositionalEncoding};

/// `config.json` of a Llama checkpoint; the fields that shape the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LlamaConfig {
    /// The conventions that the checkpoint follows, by its `model_type`.
    #[serde(rename = "model_type", default, skip_serializing_if = "is_llama")]
    pub convention: Convention,
    /// Rows of the embedding table.
    pub vocab_size: usize,
    /// Width of the residual stream.
    pub hidden_size: usize,
    /// Inner width of the feed-forward networks.
    pub intermediate_size: usize,
    /// The number of layers.
    pub num_hidden_layers: usize,
    /// Query heads of each layer.
    pub num_attention_heads: usize,
    /// Key and value heads of each layer; fewer than query heads in grouped-query attention.
    #[serde(default)]
    pub num_key_value_heads: Option<usize>,
    /// Width of a head, where it is not `hidden_size / num_attention_heads` (in Qwen3, 128).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_dim: Option<usize>,
    /// The way of encoding positions; Llama's own is RoPE.
    #[serde(default, skip_serializing_if = "is_rope")]
    pub positions: PositionalEncoding,
    /// Buckets of T5's bias.
    #[serde(default = "t5_buckets", skip_serializing_if = "is_t5_buckets")]
    pub relative_attention_num_buckets: usize,
    /// The distance from which all share the last of T5's buckets.
    #[serde(default = "t5_furthest", skip_serializing_if = "is_t5_furthest")]
    pub relative_attention_max_distance: usize,
    /// The ε of RMSNorm.
    pub rms_norm_eps: f64,
    /// The base of RoPE.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rope_theta: Option<f32>,
    /// RoPE's parameters as newer checkpoints write them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rope_parameters: Option<Box<RopeParameters>>,
    /// RoPE's scaling as older checkpoints write it, beside `rope_theta`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rope_scaling: Option<Box<RopeParameters>>,
    /// The base of RoPE in layers of Gemma 3 that have a window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rope_local_base_freq: Option<f32>,
    /// The share of a head's dimensions that RoPE rotates in Phi-3, the first ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial_rotary_factor: Option<f64>,
    /// The length of Phi-3's texts in training.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_max_position_embeddings: Option<usize>,
    /// The number whose root Gemma divides scores by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_pre_attn_scalar: Option<f64>,
    /// The cap of Gemma's scores; `Some(None)` if the file has `null`.
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    pub attn_logit_softcapping: Option<Option<f64>>,
    /// The cap of Gemma's logits; `Some(None)` if the file has `null`.
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    pub final_logit_softcapping: Option<Option<f64>>,
    /// The non-linearity of Gemma's feed-forward networks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden_activation: Option<Nonlinearity>,
    /// True if Gemma's queries see later keys; not implemented.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_bidirectional_attention: Option<bool>,
    /// True if the projections to queries, keys and values and the projection back have a bias.
    #[serde(default, skip_serializing_if = "is_false")]
    pub attention_bias: bool,
    /// True if the feed-forward networks' matrices have a bias.
    #[serde(default, skip_serializing_if = "is_false")]
    pub mlp_bias: bool,
    /// Keys up to its own that a query sees in layers with a sliding window; `Some(None)` if the file has `null`.
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    pub sliding_window: Option<Option<usize>>,
    /// True if some layers of Qwen and SmolLM3 have a sliding window.
    #[serde(default, skip_serializing_if = "is_false")]
    pub use_sliding_window: bool,
    /// The first of Qwen's layers that has a sliding window, where `layer_types` does not say so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_window_layers: Option<usize>,
    /// The attention of each layer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer_types: Option<Vec<LayerType>>,
    /// Every so many of Gemma 3's layers have no window, where `layer_types` does not say so.
    #[serde(
        default,
        alias = "_sliding_window_pattern",
        skip_serializing_if = "Option::is_none"
    )]
    pub sliding_window_pattern: Option<usize>,
    /// For each of SmolLM3's layers 1 if RoPE rotates its queries and keys, and 0 if not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_rope_layers: Option<Vec<u8>>,
    /// Every so many of SmolLM3's layers RoPE rotates nothing, where `no_rope_layers` does not say so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_rope_layer_interval: Option<usize>,
    /// Longest sequence, in tokens.
    pub max_position_embeddings: usize,
    /// True if the output matrix is the embedding table.
    #[serde(default)]
    pub tie_word_embeddings: bool,
    /// The token that a sequence starts with.
    pub bos_token_id: Option<u32>,
    /// The tokens that end a text.
    #[serde(default)]
    pub eos_token_id: Tokens,
    /// The token that is forced as the last one that may be generated, if decoding gets that far.
    #[serde(default, skip_serializing_if = "Tokens::is_empty")]
    pub forced_eos_token_id: Tokens,
    /// Dropout rate in training.
    #[serde(default)]
    pub dropout: f64,
    /// Standard deviation of a new model's weights.
    #[serde(default = "initializer_range")]
    pub initializer_range: f64,
}

/// Distinguishes an entry that is `null` from one that is absent.
fn given<'de, D, T>(entry: D) -> Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(entry).map(Some)
}

fn initializer_range() -> f64 {
    0.02
}

fn t5_buckets() -> usize {
    Buckets::CAUSAL.count
}

fn t5_furthest() -> usize {
    Buckets::CAUSAL.furthest
}

fn is_t5_buckets(count: &usize) -> bool {
    *count == t5_buckets()
}

fn is_t5_furthest(distance: &usize) -> bool {
    *distance == t5_furthest()
}

fn is_rope(positions: &PositionalEncoding) -> bool {
    *positions == PositionalEncoding::Rope
}

fn is_llama(convention: &Convention) -> bool {
    *convention == Convention::Llama
}

fn is_false(switch: &bool) -> bool {
    !switch
}

/// The 7B model of [LLaMA](https://arxiv.org/abs/2302.13971), table 2.
impl Default for LlamaConfig {
    fn default() -> Self {
        LlamaConfig {
            convention: Convention::Llama,
            vocab_size: 32_000,
            hidden_size: 4096,
            intermediate_size: 11_008,
            num_hidden_layers: 32,
            num_attention_heads: 32,
            num_key_value_heads: None,
            head_dim: None,
            positions: PositionalEncoding::Rope,
            relative_attention_num_buckets: t5_buckets(),
            relative_attention_max_distance: t5_furthest(),
            rms_norm_eps: 1e-5,
            rope_theta: Some(Convention::Llama.base()),
            rope_parameters: None,
            rope_scaling: None,
            rope_local_base_freq: None,
            partial_rotary_factor: None,
            original_max_position_embeddings: None,
            query_pre_attn_scalar: None,
            attn_logit_softcapping: None,
            final_logit_softcapping: None,
            hidden_activation: None,
            use_bidirectional_attention: None,
            attention_bias: false,
            mlp_bias: false,
            sliding_window: None,
            use_sliding_window: false,
            max_window_layers: None,
            layer_types: None,
            sliding_window_pattern: None,
            no_rope_layers: None,
            no_rope_layer_interval: None,
            max_position_embeddings: 2048,
            tie_word_embeddings: false,
            bos_token_id: Some(0),
            eos_token_id: 0.into(),
            forced_eos_token_id: Tokens::default(),
            dropout: 0.0,
            initializer_range: initializer_range(),
        }
    }
}
