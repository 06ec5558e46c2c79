//! A new decoder-only model from its configuration.

use attention_trace::positions::PositionalEncoding;
use burn::nn::{EmbeddingConfig, Initializer, LinearConfig, RmsNormConfig};
use burn::prelude::*;

use super::{Llama, LlamaAttention, LlamaConfig, LlamaLayer, LlamaMlp, LlamaModel};
use crate::error::ModelError;

impl Llama {
    /// A new model with random weights, normally distributed around zero.
    ///
    /// # Errors
    /// If the sizes do not fit each other or a RoPE variant is asked for.
    pub fn new(config: &LlamaConfig, device: &Device) -> Result<Self, ModelError> {
        config.validate()?;
        let (hidden, inner, d_k) = (
            config.hidden_size,
            config.intermediate_size,
            config.head_dim(),
        );
        let normal = Initializer::Normal {
            mean: 0.0,
            std: config.initializer_range,
        };
        let linear = |input, output| {
            LinearConfig::new(input, output)
                .with_bias(false)
                .with_initializer(normal.clone())
                .init(device)
        };
        let norm = || {
            RmsNormConfig::new(hidden)
                .with_epsilon(config.rms_norm_eps)
                .init(device)
        };
        let table = |rows, width| {
            EmbeddingConfig::new(rows, width)
                .with_initializer(normal.clone())
                .init(device)
        };
        let learned = config.positions == PositionalEncoding::Learned;
        let biased = config.positions == PositionalEncoding::T5;
        let layer = || LlamaLayer {
            input_layernorm: norm(),
            self_attn: LlamaAttention {
                q_proj: linear(hidden, config.num_attention_heads * d_k),
                k_proj: linear(hidden, config.key_value_heads() * d_k),
                v_proj: linear(hidden, config.key_value_heads() * d_k),
                o_proj: linear(config.num_attention_heads * d_k, hidden),
                heads: config.num_attention_heads,
                key_value_heads: config.key_value_heads(),
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
                embed_tokens: table(config.vocab_size, hidden),
                embed_positions: learned.then(|| table(config.max_position_embeddings, hidden)),
                relative_attention_bias: biased
                    .then(|| table(config.buckets().count, config.num_attention_heads)),
                layers: (0..config.num_hidden_layers).map(|_| layer()).collect(),
                norm: norm(),
            },
            lm_head: (!config.tie_word_embeddings).then(|| linear(hidden, config.vocab_size)),
            config: config.clone(),
        })
    }
}
