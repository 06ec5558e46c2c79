//! Creation of a new decoder-only model from its configuration.

use attention_trace::NormPlacement;
use attention_trace::positions::PositionalEncoding;
use burn::nn::{EmbeddingConfig, Initializer, LinearConfig, RmsNormConfig};
use burn::prelude::*;

use super::{Llama, LlamaAttention, LlamaConfig, LlamaLayer, LlamaMlp, LlamaModel};
use crate::attention::Scale;
use crate::error::ModelError;
use crate::layers::Linear;

impl Llama {
    /// Creates a new model with random weights, normally distributed around zero.
    ///
    /// # Errors
    /// If the sizes do not fit each other, or the configuration requests a scaling of RoPE that is not implemented.
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
        let linear = |input, output, is_biased| {
            let layer = LinearConfig::new(input, output)
                .with_bias(is_biased)
                .with_initializer(normal.clone());
            Linear::from(layer.init(device))
        };
        let norm_of = |width| {
            RmsNormConfig::new(width)
                .with_epsilon(config.rms_norm_eps)
                .init(device)
        };
        let norm = || norm_of(hidden);
        let query_norm = |heads| match (config.normalises_heads(), config.normalises_whole()) {
            (true, _) => Some(norm_of(d_k)),
            (_, true) => Some(norm_of(heads * d_k)),
            _ => None,
        };
        let placement = config.norm_placement();
        let inward = |heads| linear(hidden, heads * d_k, config.inward_bias());
        let (heads, groups) = (config.num_attention_heads, config.key_value_heads());
        let mlp_bias = config.feed_forward_bias();
        let table = |rows, width| {
            EmbeddingConfig::new(rows, width)
                .with_initializer(normal.clone())
                .init(device)
        };
        let learned = config.positions == PositionalEncoding::Learned;
        let biased = config.positions == PositionalEncoding::T5;
        let has_second = config.has_feed_forward() || placement.is_on_output();
        let layer = || LlamaLayer {
            input_layernorm: placement.is_on_input().then(norm),
            self_attn: LlamaAttention {
                q_proj: inward(heads),
                k_proj: inward(groups),
                v_proj: inward(groups),
                o_proj: linear(heads * d_k, hidden, config.outward_bias()),
                q_norm: query_norm(heads),
                k_norm: query_norm(groups),
                heads,
                key_value_heads: groups,
                scale: config.score_divisor().map_or(Scale::Root, Scale::By),
                cap: config.score_cap(),
            },
            post_attention_layernorm: has_second.then(norm),
            pre_feedforward_layernorm: (placement == NormPlacement::Both).then(norm),
            post_feedforward_layernorm: placement.is_on_output().then(norm),
            mlp: config.has_feed_forward().then(|| LlamaMlp {
                gate_proj: linear(hidden, inner, mlp_bias),
                up_proj: linear(hidden, inner, mlp_bias),
                down_proj: linear(inner, hidden, mlp_bias),
                nonlinearity: config.activation(),
            }),
        };
        Ok(Llama {
            model: LlamaModel {
                embed_tokens: table(config.vocab_size, hidden).into(),
                embed_positions: learned.then(|| table(config.max_position_embeddings, hidden)),
                relative_attention_bias: biased
                    .then(|| table(config.buckets().count, config.num_attention_heads)),
                layers: (0..config.num_hidden_layers).map(|_| layer()).collect(),
                norm: norm(),
            },
            lm_head: (!config.tie_word_embeddings)
                .then(|| linear(hidden, config.vocab_size, false)),
            config: config.clone(),
        })
    }
}
