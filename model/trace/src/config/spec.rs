//! Specifications of the models of each configuration.

use super::{
    BertConfig, Gpt2Config, GptNeoXConfig, GruConfig, LlamaConfig, MarianConfig, ModernBertConfig,
    T5Config, UniversalConfig, VitConfig,
};
use crate::positions::{Direction, PositionalEncoding, SinusoidalLayout};
use crate::{
    FeedForwardSpec, Generates, ModelSpec, Nonlinearity, NormKind, NormPlacement, NormSpec,
    PatchSpec, PositionSpec, RecurrenceSpec, RecurrentAttention, ReuseSpec, StackSpec,
};

impl MarianConfig {
    /// Returns the facts of a model of these sizes.
    pub fn spec(&self) -> ModelSpec {
        let config = self;
        let feed_forward = |width| {
            Some(FeedForwardSpec {
                width,
                activation: config.activation_function.into(),
                gated: false,
                biased: true,
            })
        };
        let encoder = StackSpec {
            layers: config.encoder_layers,
            heads: config.encoder_attention_heads,
            key_value_heads: config.encoder_attention_heads,
            head_width: config.d_model / config.encoder_attention_heads,
            causal: false,
            cross_attention: false,
            head_norm: false,
            whole_norm: false,
            layer_attention: vec![],
            parallel: false,
            norm: Some(NormSpec {
                kind: NormKind::LayerNorm,
                placement: config.norm_placement(),
                is_last: config.has_last_norm(),
            }),
            feed_forward: feed_forward(config.encoder_ffn_dim),
        };
        let decoder = StackSpec {
            layers: config.decoder_layers,
            heads: config.decoder_attention_heads,
            key_value_heads: config.decoder_attention_heads,
            head_width: config.d_model / config.decoder_attention_heads,
            causal: true,
            cross_attention: true,
            feed_forward: feed_forward(config.decoder_ffn_dim),
            ..encoder.clone()
        };
        ModelSpec {
            model_type: config.convention.model_type().into(),
            width: config.d_model,
            vocabulary: config.target_vocabulary(),
            source_vocabulary: (!config.shares_vocabulary).then_some(config.vocab_size),
            max_tokens: Some(config.max_position_embeddings),
            encoder: Some(encoder),
            decoder: Some(decoder),
            embedding_factor: config.embedding_factor(),
            segments: 0,
            embedding_norm: config.first_position().is_some(),
            positions: match config.first_position() {
                None => PositionSpec {
                    layout: Some(config.layout()),
                    first: config.first_sinusoid(),
                    ..PositionalEncoding::Sinusoidal.into()
                },
                Some(_) => PositionalEncoding::Learned.into(),
            },
            scales_scores: true,
            score_cap: None,
            logit_cap: None,
            output_layer: false,
            output_factor: 1.0,
            output_bias: config.has_output_bias(),
            recurrence: None,
            reuse: None,
            patches: None,
            generates: Generates::TextFromText,
        }
    }
}

impl LlamaConfig {
    /// The layout of sines and cosines in the columns of sinusoidal positions.
    pub const LAYOUT: SinusoidalLayout = SinusoidalLayout::Interleaved;

    /// Returns the facts of a model of these sizes.
    pub fn spec(&self) -> ModelSpec {
        let config = self;
        let encoding = config.positions;
        let layers = config.layer_attention();
        let is_plain = encoding == PositionalEncoding::Rope
            && !config.stretches_rope()
            && config.partial_rotary_width().is_none()
            && layers
                .iter()
                .all(|layer| layer.rotates && layer.rope_theta.is_none());
        ModelSpec {
            model_type: config.convention.model_type().into(),
            width: config.hidden_size,
            vocabulary: config.vocab_size,
            source_vocabulary: None,
            max_tokens: config.max_tokens(),
            encoder: None,
            decoder: Some(StackSpec {
                layers: config.num_hidden_layers,
                heads: config.num_attention_heads,
                key_value_heads: config.key_value_heads(),
                head_width: config.head_dim(),
                causal: true,
                cross_attention: false,
                head_norm: config.normalises_heads(),
                whole_norm: config.normalises_whole(),
                layer_attention: layers,
                parallel: false,
                norm: Some(NormSpec {
                    kind: NormKind::RmsNorm,
                    placement: config.norm_placement(),
                    is_last: true,
                }),
                feed_forward: config.has_feed_forward().then(|| FeedForwardSpec {
                    width: config.intermediate_size,
                    activation: config.activation(),
                    gated: true,
                    biased: config.feed_forward_bias(),
                }),
            }),
            embedding_factor: config.embedding_factor(),
            segments: 0,
            embedding_norm: false,
            positions: PositionSpec {
                encoding,
                layout: (encoding == PositionalEncoding::Sinusoidal).then_some(Self::LAYOUT),
                first: 0,
                rope_theta: is_plain.then(|| config.theta()),
                rotary_width: config.partial_rotary_width(),
                buckets: (encoding == PositionalEncoding::T5).then(|| config.buckets()),
            },
            scales_scores: true,
            score_cap: config.score_cap(),
            logit_cap: config.logit_cap(),
            output_layer: false,
            output_factor: 1.0,
            output_bias: false,
            recurrence: None,
            reuse: None,
            patches: None,
            generates: Generates::Continuation,
        }
    }
}

impl Gpt2Config {
    /// Returns the facts of a model of these sizes.
    pub fn spec(&self) -> ModelSpec {
        let config = self;
        ModelSpec {
            model_type: "gpt2".into(),
            width: config.n_embd,
            vocabulary: config.vocab_size,
            source_vocabulary: None,
            max_tokens: Some(config.n_positions),
            encoder: None,
            decoder: Some(StackSpec {
                layers: config.n_layer,
                heads: config.n_head,
                key_value_heads: config.n_head,
                head_width: config.head_dim(),
                causal: true,
                cross_attention: false,
                head_norm: false,
                whole_norm: false,
                layer_attention: config.layer_attention(),
                parallel: false,
                norm: Some(NormSpec {
                    kind: NormKind::LayerNorm,
                    placement: NormPlacement::Pre,
                    is_last: true,
                }),
                feed_forward: Some(FeedForwardSpec {
                    width: config.inner(),
                    activation: config.activation_function,
                    gated: false,
                    biased: true,
                }),
            }),
            embedding_factor: 1.0,
            segments: 0,
            embedding_norm: false,
            positions: PositionalEncoding::Learned.into(),
            scales_scores: config.scales_scores(),
            score_cap: None,
            logit_cap: None,
            output_layer: false,
            output_factor: 1.0,
            output_bias: false,
            recurrence: None,
            reuse: None,
            patches: None,
            generates: Generates::Continuation,
        }
    }
}

impl GptNeoXConfig {
    /// Returns the facts of a model of these sizes.
    pub fn spec(&self) -> ModelSpec {
        let config = self;
        let rotated = config.rotary_width();
        let is_partial = rotated < config.head_dim();
        let is_plain = !is_partial && !config.stretches_rope();
        ModelSpec {
            model_type: "gpt_neox".into(),
            width: config.hidden_size,
            vocabulary: config.vocab_size,
            source_vocabulary: None,
            max_tokens: Some(config.max_tokens()),
            encoder: None,
            decoder: Some(StackSpec {
                layers: config.num_hidden_layers,
                heads: config.num_attention_heads,
                key_value_heads: config.num_attention_heads,
                head_width: config.head_dim(),
                causal: true,
                cross_attention: false,
                head_norm: false,
                whole_norm: false,
                layer_attention: vec![],
                parallel: config.use_parallel_residual,
                norm: Some(NormSpec {
                    kind: NormKind::LayerNorm,
                    placement: NormPlacement::Pre,
                    is_last: true,
                }),
                feed_forward: Some(FeedForwardSpec {
                    width: config.intermediate_size,
                    activation: config.hidden_act,
                    gated: false,
                    biased: true,
                }),
            }),
            embedding_factor: 1.0,
            segments: 0,
            embedding_norm: false,
            positions: PositionSpec {
                rope_theta: is_plain.then(|| config.theta()),
                rotary_width: is_partial.then_some(rotated),
                ..PositionalEncoding::Rope.into()
            },
            scales_scores: true,
            score_cap: None,
            logit_cap: None,
            output_layer: false,
            output_factor: 1.0,
            output_bias: false,
            recurrence: None,
            reuse: None,
            patches: None,
            generates: Generates::Continuation,
        }
    }
}

impl BertConfig {
    /// Returns the facts of a model of these sizes.
    pub fn spec(&self) -> ModelSpec {
        let config = self;
        ModelSpec {
            model_type: config.convention.model_type().into(),
            width: config.hidden_size,
            vocabulary: config.vocab_size,
            source_vocabulary: None,
            max_tokens: Some(config.max_tokens()),
            encoder: Some(StackSpec {
                layers: config.num_hidden_layers,
                heads: config.num_attention_heads,
                key_value_heads: config.num_attention_heads,
                head_width: config.head_dim(),
                causal: false,
                cross_attention: false,
                head_norm: false,
                whole_norm: false,
                layer_attention: vec![],
                parallel: false,
                norm: Some(NormSpec {
                    kind: NormKind::LayerNorm,
                    placement: NormPlacement::Post,
                    is_last: false,
                }),
                feed_forward: Some(FeedForwardSpec {
                    width: config.intermediate_size,
                    activation: config.hidden_act,
                    gated: false,
                    biased: true,
                }),
            }),
            decoder: None,
            embedding_factor: 1.0,
            segments: config.type_vocab_size,
            embedding_norm: true,
            positions: PositionalEncoding::Learned.into(),
            scales_scores: true,
            score_cap: None,
            logit_cap: None,
            output_layer: config.has_head,
            output_factor: 1.0,
            output_bias: config.has_head,
            recurrence: None,
            reuse: None,
            patches: None,
            generates: match config.has_head {
                true => Generates::MaskedWords,
                false => Generates::Nothing,
            },
        }
    }
}

impl ModernBertConfig {
    /// Returns the facts of a model of these sizes.
    pub fn spec(&self) -> ModelSpec {
        let config = self;
        let [theta, local] = config.thetas();
        ModelSpec {
            model_type: "modernbert".into(),
            width: config.hidden_size,
            vocabulary: config.vocab_size,
            source_vocabulary: None,
            max_tokens: Some(config.max_position_embeddings),
            encoder: Some(StackSpec {
                layers: config.num_hidden_layers,
                heads: config.num_attention_heads,
                key_value_heads: config.num_attention_heads,
                head_width: config.head_dim(),
                causal: false,
                cross_attention: false,
                head_norm: false,
                whole_norm: false,
                layer_attention: config.layer_attention(),
                parallel: false,
                norm: Some(NormSpec {
                    kind: NormKind::LayerNorm,
                    placement: NormPlacement::Pre,
                    is_last: true,
                }),
                feed_forward: Some(FeedForwardSpec {
                    width: config.intermediate_size,
                    activation: config.hidden_activation,
                    gated: true,
                    biased: config.mlp_bias,
                }),
            }),
            decoder: None,
            embedding_factor: 1.0,
            segments: 0,
            embedding_norm: true,
            positions: PositionSpec {
                rope_theta: (theta == local).then_some(theta),
                ..PositionalEncoding::Rope.into()
            },
            scales_scores: true,
            score_cap: None,
            logit_cap: None,
            output_layer: config.has_head,
            output_factor: 1.0,
            output_bias: config.has_head && config.decoder_bias,
            recurrence: None,
            reuse: None,
            patches: None,
            generates: match config.has_head {
                true => Generates::MaskedWords,
                false => Generates::Nothing,
            },
        }
    }
}

impl VitConfig {
    /// Returns the facts of a model of these sizes.
    pub fn spec(&self) -> ModelSpec {
        let config = self;
        let [rows, columns] = config.grid();
        ModelSpec {
            model_type: config.convention.model_type().into(),
            width: config.hidden_size,
            vocabulary: config.labels,
            source_vocabulary: None,
            max_tokens: (!config.takes_any_size()).then_some(config.before() + rows * columns),
            encoder: Some(StackSpec {
                layers: config.num_hidden_layers,
                heads: config.num_attention_heads,
                key_value_heads: config.num_attention_heads,
                head_width: config.head_dim(),
                causal: false,
                cross_attention: false,
                head_norm: false,
                whole_norm: false,
                layer_attention: vec![],
                parallel: false,
                norm: Some(NormSpec {
                    kind: NormKind::LayerNorm,
                    placement: NormPlacement::Pre,
                    is_last: true,
                }),
                feed_forward: Some(FeedForwardSpec {
                    width: config.inner(),
                    activation: match config.is_gated() {
                        true => Nonlinearity::Silu,
                        false => config.hidden_act,
                    },
                    gated: config.is_gated(),
                    biased: true,
                }),
            }),
            decoder: None,
            embedding_factor: 1.0,
            segments: 0,
            embedding_norm: false,
            positions: PositionalEncoding::Learned.into(),
            scales_scores: true,
            score_cap: None,
            logit_cap: None,
            output_layer: false,
            output_factor: 1.0,
            output_bias: config.labels > 0,
            recurrence: None,
            reuse: None,
            patches: Some(PatchSpec {
                size_px: config.patch(),
                registers: config.registers(),
            }),
            generates: match config.labels {
                0 => Generates::Nothing,
                _ => Generates::Labels,
            },
        }
    }
}

impl T5Config {
    /// Returns the facts of a model of these sizes.
    pub fn spec(&self) -> ModelSpec {
        let config = self;
        let encoder = StackSpec {
            layers: config.num_layers,
            heads: config.num_heads,
            key_value_heads: config.num_heads,
            head_width: config.d_kv,
            causal: false,
            cross_attention: false,
            head_norm: false,
            whole_norm: false,
            layer_attention: vec![],
            parallel: false,
            norm: Some(NormSpec {
                kind: NormKind::RmsNorm,
                placement: NormPlacement::Pre,
                is_last: true,
            }),
            feed_forward: Some(FeedForwardSpec {
                width: config.d_ff,
                activation: config.feed_forward_proj.activation,
                gated: config.feed_forward_proj.gated,
                biased: false,
            }),
        };
        let decoder = StackSpec {
            layers: config.decoder_layers(),
            causal: true,
            cross_attention: true,
            ..encoder.clone()
        };
        let output_factor = match config.scales_output() {
            true => (config.d_model as f32).powf(-0.5),
            false => 1.0,
        };
        ModelSpec {
            model_type: config.convention.model_type().into(),
            width: config.d_model,
            vocabulary: config.vocab_size,
            source_vocabulary: None,
            max_tokens: None,
            encoder: Some(encoder),
            decoder: Some(decoder),
            embedding_factor: 1.0,
            segments: 0,
            embedding_norm: false,
            positions: PositionSpec {
                buckets: Some(config.buckets(Direction::Causal)),
                ..PositionalEncoding::T5.into()
            },
            scales_scores: false,
            score_cap: None,
            logit_cap: None,
            output_layer: false,
            output_factor,
            output_bias: false,
            recurrence: None,
            reuse: None,
            patches: None,
            generates: Generates::TextFromText,
        }
    }
}

impl GruConfig {
    /// Returns the facts of a model of these sizes.
    pub fn spec(&self) -> ModelSpec {
        let config = self;
        let encoder = StackSpec {
            layers: 1,
            heads: 1,
            key_value_heads: 1,
            head_width: config.hidden_size,
            causal: !config.bidirectional,
            cross_attention: false,
            head_norm: false,
            whole_norm: false,
            layer_attention: vec![],
            parallel: false,
            norm: None,
            feed_forward: None,
        };
        let decoder = StackSpec {
            causal: true,
            cross_attention: config.attention != RecurrentAttention::None,
            ..encoder.clone()
        };
        ModelSpec {
            model_type: "gru_seq2seq".into(),
            width: config.embedding_size,
            vocabulary: config.vocab_size,
            source_vocabulary: None,
            max_tokens: None,
            encoder: Some(encoder),
            decoder: Some(decoder),
            embedding_factor: config.embedding_factor(),
            segments: 0,
            embedding_norm: false,
            positions: PositionalEncoding::None.into(),
            scales_scores: false,
            score_cap: None,
            logit_cap: None,
            output_layer: true,
            output_factor: 1.0,
            output_bias: true,
            recurrence: Some(RecurrenceSpec {
                state_width: config.hidden_size,
                bidirectional: config.bidirectional,
                attention: config.attention,
            }),
            reuse: None,
            patches: None,
            generates: Generates::TextFromText,
        }
    }
}

impl UniversalConfig {
    /// The layout of sines and cosines in the columns of the signals.
    pub const LAYOUT: SinusoidalLayout = SinusoidalLayout::Interleaved;

    /// Returns the facts of a model of these sizes.
    pub fn spec(&self) -> ModelSpec {
        ModelSpec {
            model_type: "universal_transformer".into(),
            positions: PositionSpec {
                layout: Some(Self::LAYOUT),
                ..PositionalEncoding::Sinusoidal.into()
            },
            reuse: Some(ReuseSpec {
                halting: self.halting,
            }),
            ..self.unshared().spec()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RopeParameters;
    use crate::{AttentionKind, Quantity, Stack};

    fn stretched(way: &str) -> LlamaConfig {
        LlamaConfig {
            rope_parameters: Some(Box::new(RopeParameters {
                rope_type: Some(way.into()),
                factor: Some(4.0),
                ..RopeParameters::default()
            })),
            ..LlamaConfig::default()
        }
    }

    #[test]
    fn a_base_is_told_where_it_alone_says_how_far_rope_turns() {
        assert_eq!(
            LlamaConfig::default().spec().positions.rope_theta,
            Some(1e4)
        );
        assert_eq!(stretched("default").spec().positions.rope_theta, Some(1e4));
        assert_eq!(stretched("linear").spec().positions.rope_theta, None);
    }

    #[test]
    fn the_dynamic_way_begins_where_the_others_end() {
        assert_eq!(stretched("linear").spec().max_tokens, Some(2048));
        assert_eq!(stretched("dynamic").spec().max_tokens, Some(4 * 2048));
    }

    #[test]
    fn positions_by_distance_have_no_limit() {
        assert_eq!(T5Config::default().spec().max_tokens, None);
        for positions in PositionalEncoding::ALL {
            let config = LlamaConfig {
                positions,
                ..LlamaConfig::default()
            };
            let is_absolute = positions.adds_vectors() || positions == PositionalEncoding::Rope;
            let limit = is_absolute.then_some(2048);
            assert_eq!(config.spec().max_tokens, limit, "{positions:?}");
        }
    }

    #[test]
    fn the_buckets_of_an_encoder_are_for_both_sides() {
        let spec = T5Config::default().spec();
        let direction = |stack| spec.buckets(stack).map(|buckets| buckets.direction);
        assert_eq!(direction(Stack::Encoder), Some(Direction::Both));
        assert_eq!(direction(Stack::Decoder), Some(Direction::Causal));
        assert_eq!(MarianConfig::default().spec().buckets(Stack::Encoder), None);
    }

    #[test]
    fn models_have_the_places_of_their_kind() {
        let has = |spec: &ModelSpec, name: &str| spec.has(name.parse().unwrap());
        let (bert, t5) = (BertConfig::default().spec(), T5Config::default().spec());
        assert!(has(&bert, "encoder.token_embedding"));
        assert!(!has(&bert, "decoder.embedding"));
        assert!(!has(&bert, "encoder.final_norm"));
        assert!(has(&t5, "encoder.0.self.position_bias"));
        assert!(!has(&t5, "decoder.0.cross.position_bias"));
        let gru = |attention| {
            let config = GruConfig {
                attention,
                ..GruConfig::default()
            };
            config.spec()
        };
        let (fixed, bahdanau) = (
            gru(RecurrentAttention::None),
            gru(RecurrentAttention::Bahdanau),
        );
        assert_eq!(fixed.kinds(), []);
        assert_eq!(bahdanau.kinds(), [AttentionKind::Cross]);
        assert!(has(&fixed, "decoder.state") && has(&fixed, "decoder.readout"));
        assert!(!has(&fixed, "decoder.0.cross.pattern") && !has(&t5, "decoder.state"));
        assert!(has(&bahdanau, "decoder.0.cross.pattern"));
        assert!(!has(&bahdanau, "decoder.0.cross.query") && !has(&bahdanau, "encoder.0.mlp.out"));
        let universal = UniversalConfig::default();
        let fixed = UniversalConfig {
            halting: None,
            ..universal.clone()
        };
        let (universal, fixed) = (universal.spec(), fixed.spec());
        for spec in [&universal, &fixed] {
            assert!(!has(spec, "encoder.0.self.embedding"));
            assert!(has(spec, "encoder.1.self.embedding") && has(spec, "encoder.embedding"));
            assert!(!has(spec, "encoder.1.mlp.embedding"));
        }
        for name in ["mlp.halting", "mlp.depth_weight", "mlp.state"] {
            let name = format!("decoder.3.{name}");
            assert!(has(&universal, &name) && !has(&fixed, &name), "{name}");
        }
        assert!(has(&universal, "decoder.state") && !has(&fixed, "decoder.state"));
        assert!(!has(&universal, "decoder.3.self.halting"));
        let rotated = Quantity::QueryBeforeRope;
        let sites: Vec<_> = Gpt2Config::default().spec().sites().collect();
        assert!(sites.iter().all(|site| site.quantity != rotated));
    }
}
