//! Creation of a new decoder-only model from its configuration.

use attention_trace::NormPlacement;
use attention_trace::positions::PositionalEncoding;
use burn::nn::{Embedding, EmbeddingConfig, Initializer, LinearConfig, RmsNorm, RmsNormConfig};
use burn::prelude::*;

use super::{Llama, LlamaAttention, LlamaConfig, LlamaLayer, LlamaMlp, LlamaModel};
use crate::attention::Scale;
use crate::error::ModelError;
use crate::layers::Linear;
use crate::placement::Moves;

impl Llama {
    /// Creates a new model with random weights, normally distributed around zero.
    ///
    /// # Errors
    /// If the sizes do not fit each other, or the configuration requests a scaling of RoPE that is not implemented.
    pub fn new(config: &LlamaConfig, device: &Device) -> Result<Self, ModelError> {
        let layers = vec![device.clone(); config.num_hidden_layers];
        Llama::placed(config, device, &layers)
    }

    /// [`new`](Self::new) with each layer on a device of its own, and everything else on the main one.
    ///
    /// # Errors
    /// As `new`.
    pub(super) fn placed(
        config: &LlamaConfig,
        main: &Device,
        layers: &[Device],
    ) -> Result<Self, ModelError> {
        config.validate()?;
        let on = |device| Initial { config, device };
        let (table, hidden) = (
            |rows, width| on(main).table(rows, width),
            config.hidden_size,
        );
        let learned = config.positions == PositionalEncoding::Learned;
        let biased = config.positions == PositionalEncoding::T5;
        Ok(Llama {
            model: LlamaModel {
                embed_tokens: table(config.vocab_size, hidden).into(),
                embed_positions: learned.then(|| table(config.max_position_embeddings, hidden)),
                relative_attention_bias: biased
                    .then(|| table(config.buckets().count, config.num_attention_heads)),
                layers: layers.iter().map(|device| on(device).layer()).collect(),
                norm: on(main).norm(hidden),
            },
            lm_head: (!config.tie_word_embeddings)
                .then(|| on(main).linear(hidden, config.vocab_size, false)),
            config: config.clone(),
            moves: Moves::new(main, layers),
        })
    }
}

/// The parts of a new model on a device.
struct Initial<'a> {
    config: &'a LlamaConfig,
    device: &'a Device,
}

impl Initial<'_> {
    fn initializer(&self) -> Initializer {
        Initializer::Normal {
            mean: 0.0,
            std: self.config.initializer_range,
        }
    }

    fn table(&self, rows: usize, width: usize) -> Embedding {
        EmbeddingConfig::new(rows, width)
            .with_initializer(self.initializer())
            .init(self.device)
    }

    fn linear(&self, input: usize, output: usize, is_biased: bool) -> Linear {
        let layer = LinearConfig::new(input, output)
            .with_bias(is_biased)
            .with_initializer(self.initializer());
        Linear::from(layer.init(self.device))
    }

    fn norm(&self, width: usize) -> RmsNorm {
        RmsNormConfig::new(width)
            .with_epsilon(self.config.rms_norm_eps)
            .init(self.device)
    }

    fn layer(&self) -> LlamaLayer {
        let config = self.config;
        let placement = config.norm_placement();
        let has_second = config.has_feed_forward() || placement.is_on_output();
        let norm = || self.norm(config.hidden_size);
        LlamaLayer {
            input_layernorm: placement.is_on_input().then(norm),
            self_attn: self.attention(),
            post_attention_layernorm: has_second.then(norm),
            pre_feedforward_layernorm: (placement == NormPlacement::Both).then(norm),
            post_feedforward_layernorm: placement.is_on_output().then(norm),
            mlp: config.has_feed_forward().then(|| self.mlp()),
        }
    }

    fn attention(&self) -> LlamaAttention {
        let config = self.config;
        let (hidden, d_k) = (config.hidden_size, config.head_dim());
        let (heads, groups) = (config.num_attention_heads, config.key_value_heads());
        let inward = |heads| self.linear(hidden, heads * d_k, config.inward_bias());
        let norm = |heads| match (config.normalises_heads(), config.normalises_whole()) {
            (true, _) => Some(self.norm(d_k)),
            (_, true) => Some(self.norm(heads * d_k)),
            _ => None,
        };
        LlamaAttention {
            q_proj: inward(heads),
            k_proj: inward(groups),
            v_proj: inward(groups),
            o_proj: self.linear(heads * d_k, hidden, config.outward_bias()),
            q_norm: norm(heads),
            k_norm: norm(groups),
            heads,
            key_value_heads: groups,
            scale: config.score_divisor().map_or(Scale::Root, Scale::By),
            cap: config.score_cap(),
        }
    }

    fn mlp(&self) -> LlamaMlp {
        let (hidden, inner) = (self.config.hidden_size, self.config.intermediate_size);
        let bias = self.config.feed_forward_bias();
        LlamaMlp {
            gate_proj: self.linear(hidden, inner, bias),
            up_proj: self.linear(hidden, inner, bias),
            down_proj: self.linear(inner, hidden, bias),
            nonlinearity: self.config.activation(),
        }
    }
}
