//! `config.json` of a decoder-only model, and a new model from it.

use attention_trace::positions::{Buckets, PositionalEncoding};
use burn::nn::{EmbeddingConfig, Initializer, LinearConfig, RmsNormConfig};
use burn::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Llama, LlamaAttention, LlamaLayer, LlamaMlp, LlamaModel};
use crate::error::ModelError;
use crate::limits::{LARGEST_TABLE, MOST_HEADS, MOST_LAYERS, WIDEST, check_sizes, check_tokens};

/// `config.json` of a Llama checkpoint; the fields that shape the model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LlamaConfig {
    /// Rows of the embedding table.
    pub vocab_size: usize,
    /// Width of the residual stream.
    pub hidden_size: usize,
    /// Inner width of the feed-forward networks.
    pub intermediate_size: usize,
    /// Layers.
    pub num_hidden_layers: usize,
    /// Query heads of each layer.
    pub num_attention_heads: usize,
    /// Key and value heads of each layer; fewer than query heads in grouped-query attention.
    #[serde(default)]
    pub num_key_value_heads: Option<usize>,
    /// Width of a head, where it is not `hidden_size / num_attention_heads`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_dim: Option<usize>,
    /// How the model knows positions; Llama's own way is RoPE.
    #[serde(default, skip_serializing_if = "is_rope")]
    pub positions: PositionalEncoding,
    /// Buckets of T5's bias.
    #[serde(default = "t5_buckets")]
    pub relative_attention_num_buckets: usize,
    /// The distance from which all share the last of T5's buckets.
    #[serde(default = "t5_furthest")]
    pub relative_attention_max_distance: usize,
    /// RMSNorm's ε.
    pub rms_norm_eps: f64,
    /// RoPE's base.
    #[serde(default = "rope_theta")]
    pub rope_theta: f32,
    /// RoPE's parameters as newer checkpoints write them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rope_parameters: Option<RopeParameters>,
    /// RoPE's scaling as older checkpoints write it; none is implemented.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rope_scaling: Option<serde_json::Value>,
    /// Longest sequence, in tokens.
    pub max_position_embeddings: usize,
    /// Whether the output matrix is the embedding table.
    #[serde(default)]
    pub tie_word_embeddings: bool,
    /// What a sequence starts with.
    pub bos_token_id: u32,
    /// End of sentence.
    pub eos_token_id: u32,
    /// Dropout rate in training.
    #[serde(default)]
    pub dropout: f64,
    /// Standard deviation of a new model's weights.
    #[serde(default = "initializer_range")]
    pub initializer_range: f64,
}

fn rope_theta() -> f32 {
    10_000.0
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

fn is_rope(positions: &PositionalEncoding) -> bool {
    *positions == PositionalEncoding::Rope
}

/// RoPE's parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RopeParameters {
    /// RoPE's base.
    pub rope_theta: f32,
    /// The variant; only `default` is implemented.
    pub rope_type: String,
}

impl LlamaConfig {
    /// RoPE's base.
    pub fn theta(&self) -> f32 {
        self.rope_parameters
            .as_ref()
            .map_or(self.rope_theta, |parameters| parameters.rope_theta)
    }

    /// Width of a head.
    pub fn head_dim(&self) -> usize {
        self.head_dim
            .unwrap_or(self.hidden_size / self.num_attention_heads.max(1))
    }

    /// T5's buckets.
    pub(super) fn buckets(&self) -> Buckets {
        Buckets {
            count: self.relative_attention_num_buckets,
            furthest: self.relative_attention_max_distance,
            ..Buckets::CAUSAL
        }
    }

    fn key_value_heads(&self) -> usize {
        self.num_key_value_heads.unwrap_or(self.num_attention_heads)
    }

    /// A new model with random weights, normally distributed around zero.
    ///
    /// # Errors
    /// If the sizes do not fit each other or a RoPE variant is asked for.
    pub fn init(&self, device: &Device) -> Result<Llama, ModelError> {
        self.validate()?;
        let (hidden, inner, d_k) = (self.hidden_size, self.intermediate_size, self.head_dim());
        let normal = Initializer::Normal {
            mean: 0.0,
            std: self.initializer_range,
        };
        let linear = |input, output| {
            LinearConfig::new(input, output)
                .with_bias(false)
                .with_initializer(normal.clone())
                .init(device)
        };
        let norm = || {
            RmsNormConfig::new(hidden)
                .with_epsilon(self.rms_norm_eps)
                .init(device)
        };
        let table = |rows, width| {
            EmbeddingConfig::new(rows, width)
                .with_initializer(normal.clone())
                .init(device)
        };
        let learned = self.positions == PositionalEncoding::Learned;
        let biased = self.positions == PositionalEncoding::T5;
        let layer = || LlamaLayer {
            input_layernorm: norm(),
            self_attn: LlamaAttention {
                q_proj: linear(hidden, self.num_attention_heads * d_k),
                k_proj: linear(hidden, self.key_value_heads() * d_k),
                v_proj: linear(hidden, self.key_value_heads() * d_k),
                o_proj: linear(self.num_attention_heads * d_k, hidden),
                heads: self.num_attention_heads,
                key_value_heads: self.key_value_heads(),
            },
            post_attention_layernorm: norm(),
            mlp: LlamaMlp {
                gate_proj: linear(hidden, inner),
                up_proj: linear(hidden, inner),
                down_proj: linear(inner, hidden),
            },
        };
        Ok(Llama {
            model: LlamaModel {
                embed_tokens: table(self.vocab_size, hidden),
                embed_positions: learned.then(|| table(self.max_position_embeddings, hidden)),
                relative_attention_bias: biased
                    .then(|| table(self.buckets().count, self.num_attention_heads)),
                layers: (0..self.num_hidden_layers).map(|_| layer()).collect(),
                norm: norm(),
            },
            lm_head: (!self.tie_word_embeddings).then(|| linear(hidden, self.vocab_size)),
            config: self.clone(),
        })
    }

    fn validate(&self) -> Result<(), ModelError> {
        check_sizes(&[
            ("vocab_size", self.vocab_size, LARGEST_TABLE),
            (
                "max_position_embeddings",
                self.max_position_embeddings,
                LARGEST_TABLE,
            ),
            ("hidden_size", self.hidden_size, WIDEST),
            ("intermediate_size", self.intermediate_size, WIDEST),
            ("num_attention_heads", self.num_attention_heads, MOST_HEADS),
            ("num_key_value_heads", self.key_value_heads(), MOST_HEADS),
            ("head_dim", self.head_dim(), WIDEST),
            ("num_hidden_layers", self.num_hidden_layers, MOST_LAYERS),
        ])?;
        check_tokens(
            &[
                ("bos_token_id", self.bos_token_id),
                ("eos_token_id", self.eos_token_id),
            ],
            self.vocab_size,
        )?;
        let scaled = self
            .rope_parameters
            .as_ref()
            .is_some_and(|p| p.rope_type != "default");
        if scaled
            || self
                .rope_scaling
                .as_ref()
                .is_some_and(|scaling| !scaling.is_null())
        {
            return Err(ModelError::Unsupported(
                "RoPE scaling is not implemented".into(),
            ));
        }
        let (heads, groups) = (self.num_attention_heads, self.key_value_heads());
        if !heads.is_multiple_of(groups) || !self.head_dim().is_multiple_of(2) {
            return Err(ModelError::Unsupported(format!(
                "{heads} query heads of width {} cannot share {groups} key and value heads",
                self.head_dim()
            )));
        }
        if self.positions == PositionalEncoding::Sinusoidal && !self.hidden_size.is_multiple_of(2) {
            return Err(ModelError::Unsupported(format!(
                "sinusoidal positions pair their dimensions, but hidden_size is {}",
                self.hidden_size
            )));
        }
        let buckets = self.buckets();
        if !(2..=LARGEST_TABLE).contains(&buckets.count) || buckets.furthest <= buckets.count / 2 {
            return Err(ModelError::Unsupported(format!(
                "{} relative_attention_num_buckets up to relative_attention_max_distance {} \
                 leave no range of distances to share",
                buckets.count, buckets.furthest
            )));
        }
        if self.initializer_range.is_nan() || self.initializer_range <= 0.0 {
            return Err(ModelError::Unsupported(
                "initializer_range must be positive".into(),
            ));
        }
        if !(0.0..1.0).contains(&self.dropout) || self.rms_norm_eps <= 0.0 {
            return Err(ModelError::Unsupported(
                "dropout must be in [0, 1) and rms_norm_eps positive".into(),
            ));
        }
        Ok(())
    }
}
