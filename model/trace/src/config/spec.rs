//! What models of each configuration are.

use super::{LlamaConfig, MarianConfig, Nonlinearity};
use crate::positions::{PositionalEncoding, SinusoidalLayout};
use crate::{
    FeedForwardSpec, Generates, ModelSpec, NormKind, NormPlacement, NormSpec, PositionSpec,
    StackSpec,
};

impl MarianConfig {
    /// Which columns of the position table hold sines.
    pub const LAYOUT: SinusoidalLayout = SinusoidalLayout::Halves;

    /// What a model of these sizes is.
    pub fn spec(&self) -> ModelSpec {
        let config = self;
        let encoder = StackSpec {
            layers: config.encoder_layers,
            heads: config.encoder_attention_heads,
            key_value_heads: config.encoder_attention_heads,
            head_width: config.d_model / config.encoder_attention_heads,
            causal: false,
            cross_attention: false,
            norm: NormSpec {
                kind: NormKind::LayerNorm,
                placement: NormPlacement::Post,
                is_last: false,
            },
            feed_forward: FeedForwardSpec {
                width: config.encoder_ffn_dim,
                activation: config.activation_function.into(),
                gated: false,
                biased: true,
            },
        };
        let decoder = StackSpec {
            layers: config.decoder_layers,
            heads: config.decoder_attention_heads,
            key_value_heads: config.decoder_attention_heads,
            head_width: config.d_model / config.decoder_attention_heads,
            causal: true,
            cross_attention: true,
            feed_forward: FeedForwardSpec {
                width: config.decoder_ffn_dim,
                ..encoder.feed_forward
            },
            ..encoder
        };
        ModelSpec {
            model_type: "marian".into(),
            width: config.d_model,
            vocabulary: config.vocab_size,
            max_tokens: config.max_position_embeddings,
            encoder: Some(encoder),
            decoder: Some(decoder),
            embedding_factor: config.embedding_factor(),
            positions: PositionSpec {
                layout: Some(Self::LAYOUT),
                ..PositionalEncoding::Sinusoidal.into()
            },
            scales_scores: true,
            output_bias: true,
            generates: Generates::TextFromText,
        }
    }
}

impl LlamaConfig {
    /// Which columns of sinusoidal positions hold sines.
    pub const LAYOUT: SinusoidalLayout = SinusoidalLayout::Interleaved;

    /// What a model of these sizes is.
    pub fn spec(&self) -> ModelSpec {
        let config = self;
        let encoding = config.positions;
        ModelSpec {
            model_type: "llama".into(),
            width: config.hidden_size,
            vocabulary: config.vocab_size,
            max_tokens: config.max_position_embeddings,
            encoder: None,
            decoder: Some(StackSpec {
                layers: config.num_hidden_layers,
                heads: config.num_attention_heads,
                key_value_heads: config.key_value_heads(),
                head_width: config.head_dim(),
                causal: true,
                cross_attention: false,
                norm: NormSpec {
                    kind: NormKind::RmsNorm,
                    placement: NormPlacement::Pre,
                    is_last: true,
                },
                feed_forward: FeedForwardSpec {
                    width: config.intermediate_size,
                    activation: Nonlinearity::Silu,
                    gated: true,
                    biased: false,
                },
            }),
            embedding_factor: 1.0,
            positions: PositionSpec {
                encoding,
                layout: (encoding == PositionalEncoding::Sinusoidal).then_some(Self::LAYOUT),
                rope_theta: (encoding == PositionalEncoding::Rope).then(|| config.theta()),
                buckets: (encoding == PositionalEncoding::T5).then(|| config.buckets()),
            },
            scales_scores: true,
            output_bias: false,
            generates: Generates::Continuation,
        }
    }
}
