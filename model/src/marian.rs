//! The encoder–decoder Transformer of [Attention Is All You Need](https://arxiv.org/abs/1706.03762)
//! in the layout of [Marian](https://huggingface.co/docs/transformers/model_doc/marian) checkpoints:
//! post-norm, sinusoidal positions, embeddings shared by encoder, decoder and output.
//!
//! Field names are the checkpoint's, so a parameter's path here is its name there.

use std::collections::BTreeSet;

pub use attention_trace::config::{Activation, MarianConfig};
use attention_trace::positions::sinusoidal;
use attention_trace::{Block, ModelSpec, Parameter, Quantity, Stack, Sublayer, Weight};
use burn::module::Param;
use burn::nn::{
    Embedding, EmbeddingConfig, Initializer, LayerNorm, LayerNormConfig, Linear, LinearConfig,
};
use burn::prelude::*;
use serde_json::Value;
#[cfg(feature = "train")]
use serde_json::json;

use crate::attention::{Mask, attend, tap_heads};
use crate::decoding::Rules;
use crate::error::ModelError;
use crate::families::Family;
use crate::kernels::{linear, linear_transposed};
use crate::sequence::{Control, LayerState, Memory, SequenceModel, Source, State};
use crate::sublayers::{add_and_norm, feed_forward};
use crate::tap::Tap;
use crate::weights::{self, Layout};
#[cfg(feature = "train")]
use crate::{families::merge, weights::Precision};

/// The `model_type` of Marian's checkpoints and the function that loads them.
pub const FAMILY: Family = Family {
    model_types: &["marian"],
    load: |published, device| {
        published.check_implemented(&IMPLEMENTED)?;
        let config: MarianConfig = published.config()?;
        published.check_vocabulary(config.vocab_size)?;
        let own = weights::own(published.weights, &LAYOUT)?;
        let model = Marian::new(&config, device)?.with_tables(&own, device);
        Ok(Box::new(weights::load(model, published.weights, &LAYOUT)?))
    },
};

/// The files of Marian's checkpoints.
pub(crate) const LAYOUT: Layout = Layout {
    model: Some("MarianMTModel"),
    base: "model.",
    tied: &[TABLE, HEAD, DECODER_TABLE, ENCODER_TABLE],
    ..Layout::PATHS
};

/// The table that embeds source and target and gives the logits.
const TABLE: &str = "model.shared.weight";
/// The tables and the output matrix, if they are separate.
const ENCODER_TABLE: &str = "model.encoder.embed_tokens.weight";
const DECODER_TABLE: &str = "model.decoder.embed_tokens.weight";
const HEAD: &str = "lm_head.weight";

/// Switches of `config.json` with the only value that is implemented.
const IMPLEMENTED: [(&str, Value); 6] = [
    ("tie_word_embeddings", Value::Bool(true)),
    ("share_encoder_decoder_embeddings", Value::Bool(true)),
    ("static_position_embeddings", Value::Bool(true)),
    ("normalize_before", Value::Bool(false)),
    ("normalize_embedding", Value::Bool(false)),
    ("add_final_layer_norm", Value::Bool(false)),
];

/// The ε of every layer normalisation: PyTorch's default, which Marian keeps.
const NORM_EPSILON: f64 = 1e-5;

#[derive(Clone, Copy)]
struct LayerSizes {
    d_model: usize,
    heads: usize,
    ffn: usize,
    activation: Activation,
}

impl LayerSizes {
    fn linear(&self, input: usize, output: usize, device: &Device) -> Linear {
        let mut linear = LinearConfig::new(input, output)
            .with_initializer(Initializer::XavierUniform { gain: 1.0 })
            .init(device);
        linear.bias = Some(Initializer::Zeros.init([output], device));
        linear
    }

    fn attention(&self, device: &Device) -> MarianAttention {
        let projection = || self.linear(self.d_model, self.d_model, device);
        MarianAttention {
            q_proj: projection(),
            k_proj: projection(),
            v_proj: projection(),
            out_proj: projection(),
            heads: self.heads,
        }
    }

    fn norm(&self, device: &Device) -> LayerNorm {
        LayerNormConfig::new(self.d_model)
            .with_epsilon(NORM_EPSILON)
            .init(device)
    }

    fn feed_forward(&self, device: &Device) -> (Linear, Linear) {
        (
            self.linear(self.d_model, self.ffn, device),
            self.linear(self.ffn, self.d_model, device),
        )
    }

    fn encoder(&self, device: &Device) -> MarianEncoderLayer {
        let (fc1, fc2) = self.feed_forward(device);
        MarianEncoderLayer {
            self_attn: self.attention(device),
            self_attn_layer_norm: self.norm(device),
            fc1,
            fc2,
            final_layer_norm: self.norm(device),
            activation: self.activation,
        }
    }

    fn decoder(&self, device: &Device) -> MarianDecoderLayer {
        let (fc1, fc2) = self.feed_forward(device);
        MarianDecoderLayer {
            self_attn: self.attention(device),
            self_attn_layer_norm: self.norm(device),
            encoder_attn: self.attention(device),
            encoder_attn_layer_norm: self.norm(device),
            fc1,
            fc2,
            final_layer_norm: self.norm(device),
            activation: self.activation,
        }
    }
}

/// The whole model, from tokens to logits.
#[derive(Module, Debug)]
pub struct Marian {
    model: MarianModel,
    final_logits_bias: Param<Tensor<2>>,
    /// The output matrix, a row for each token, if it is separate from the shared table.
    lm_head: Option<Embedding>,
    #[module(skip)]
    config: MarianConfig,
}

#[derive(Module, Debug)]
struct MarianModel {
    shared: Embedding,
    encoder: MarianEncoder,
    decoder: MarianDecoder,
}

#[derive(Module, Debug)]
struct MarianEncoder {
    /// The table, if it is separate from the shared one.
    embed_tokens: Option<Embedding>,
    layers: Vec<MarianEncoderLayer>,
}

#[derive(Module, Debug)]
struct MarianDecoder {
    /// The table, if it is separate from the shared one.
    embed_tokens: Option<Embedding>,
    layers: Vec<MarianDecoderLayer>,
}

impl Marian {
    /// Creates a new model with random weights: Xavier for projections, `N(0, d_model^-½)` for embeddings.
    ///
    /// # Errors
    /// If the sizes do not fit each other.
    pub fn new(config: &MarianConfig, device: &Device) -> Result<Self, ModelError> {
        config.validate()?;
        let encoder = LayerSizes {
            d_model: config.d_model,
            heads: config.encoder_attention_heads,
            ffn: config.encoder_ffn_dim,
            activation: config.activation_function,
        };
        let decoder = LayerSizes {
            heads: config.decoder_attention_heads,
            ffn: config.decoder_ffn_dim,
            ..encoder
        };
        let deviation = (config.d_model as f64).powf(-0.5);
        Ok(Marian {
            model: MarianModel {
                shared: EmbeddingConfig::new(config.vocab_size, config.d_model)
                    .with_initializer(Initializer::Normal {
                        mean: 0.0,
                        std: deviation,
                    })
                    .init(device),
                encoder: MarianEncoder {
                    embed_tokens: None,
                    layers: (0..config.encoder_layers)
                        .map(|_| encoder.encoder(device))
                        .collect(),
                },
                decoder: MarianDecoder {
                    embed_tokens: None,
                    layers: (0..config.decoder_layers)
                        .map(|_| decoder.decoder(device))
                        .collect(),
                },
            },
            final_logits_bias: Initializer::Zeros
                .init([1, config.vocab_size], device)
                .no_grad(),
            lm_head: None,
            config: config.clone(),
        })
    }

    /// Adds a separate matrix for each of the named places.
    fn with_tables(mut self, own: &BTreeSet<&str>, device: &Device) -> Self {
        let table = |name| {
            let MarianConfig {
                vocab_size,
                d_model,
                ..
            } = self.config;
            own.contains(name)
                .then(|| EmbeddingConfig::new(vocab_size, d_model).init(device))
        };
        let (encoder, decoder, head) = (table(ENCODER_TABLE), table(DECODER_TABLE), table(HEAD));
        self.model.encoder.embed_tokens = encoder;
        self.model.decoder.embed_tokens = decoder;
        self.lm_head = head;
        self
    }

    /// Returns the table that embeds the tokens of a stack.
    fn table(&self, stack: Stack) -> &Embedding {
        let own = match stack {
            Stack::Encoder => &self.model.encoder.embed_tokens,
            Stack::Decoder => &self.model.decoder.embed_tokens,
        };
        own.as_ref().unwrap_or(&self.model.shared)
    }

    /// Returns the configuration the model was built from.
    pub fn config(&self) -> &MarianConfig {
        &self.config
    }

    /// Returns the `config.json` to publish with the weights.
    #[cfg(feature = "train")]
    fn config_json(&self, precision: Precision) -> Result<Value, ModelError> {
        let config = &self.config;
        Ok(merge(
            serde_json::to_value(config)?,
            json!({
                "model_type": "marian",
                "architectures": ["MarianMTModel"],
                "is_encoder_decoder": true,
                "share_encoder_decoder_embeddings": true,
                "tie_word_embeddings": true,
                "static_position_embeddings": true,
                "normalize_before": false,
                "num_hidden_layers": config.encoder_layers,
                "attention_dropout": 0.0,
                "activation_dropout": config.dropout,
                "bad_words_ids": config.pad_token_id.map(|padding| [[padding]]),
                "forced_eos_token_id": config.eos_token_id.first(),
                "use_cache": true,
                "dtype": precision.name()
            }),
        ))
    }

    /// Embedding plus position, `[batch, length, d_model]`.
    fn embed(
        &self,
        tokens: Tensor<2, Int>,
        start: usize,
        stack: Stack,
        tap: &mut Tap,
    ) -> Tensor<3> {
        let [_, length] = tokens.dims();
        let config = &self.config;
        let device = tokens.device();
        let block = Block::Stack(stack);
        let x = self.table(stack).forward(tokens);
        let x = x.mul_scalar(config.embedding_factor());
        let x = tap.at(block.at(Quantity::TokenEmbedding), x);
        let x = if tap.knows_positions() {
            let rows = sinusoidal(start..start + length, config.d_model, MarianConfig::LAYOUT);
            let shape = [1, length, config.d_model];
            x + Tensor::from_data(TensorData::new(rows, shape), &device)
        } else {
            x
        };
        let x = tap.at(block.at(Quantity::Embedding), x);
        tap.dropout(x)
    }
}

impl SequenceModel for Marian {
    fn spec(&self) -> ModelSpec {
        self.config.spec()
    }

    fn control(&self) -> Control {
        Control {
            start: self.config.decoder_start_token_id,
            padding: self.config.pad_token_id,
            rules: Rules {
                end_tokens: self.config.eos_token_id.as_slice().to_vec(),
                forced_last: self.config.forced_eos_token_id.as_slice().to_vec(),
                suppressed: self.config.pad_token_id.as_slice().to_vec(),
                ..Rules::default()
            },
        }
    }

    fn start(&self, source: Option<Source>, tap: &mut Tap) -> State {
        let memory = source.map(|source| {
            let mask = source.mask();
            tap.enter(Stack::Encoder, 0);
            let mut x = self.embed(source.tokens, 0, Stack::Encoder, tap);
            for (index, layer) in self.model.encoder.layers.iter().enumerate() {
                x = layer.forward(x, mask.clone(), tap, index);
            }
            Memory { states: x, mask }
        });
        State::new(memory, self.config.decoder_layers)
    }

    fn advance(&self, tokens: Tensor<2, Int>, state: &mut State, tap: &mut Tap) -> Tensor<3> {
        let [_, new] = tokens.dims();
        let State {
            memory,
            position,
            layers,
        } = state;
        let mask = (new > 1 && tap.is_causal()).then_some(Mask::Causal);
        tap.enter(Stack::Decoder, *position);
        let mut x = self.embed(tokens, *position, Stack::Decoder, tap);
        for (index, layer) in self.model.decoder.layers.iter().enumerate() {
            let kept = &mut layers[index];
            x = layer.forward(x, memory.as_ref(), mask.clone(), kept, tap, index);
        }
        *position += new;
        x
    }

    fn logits(&self, states: Tensor<2>) -> Tensor<2> {
        let table = self.lm_head.as_ref().unwrap_or(&self.model.shared);
        linear_transposed(states, table.weight.val()) + self.final_logits_bias.val()
    }

    fn parameter(&self, parameter: Parameter) -> Option<Tensor<2>> {
        let own = match (parameter.block, parameter.weight) {
            (_, Weight::WUnembed) => weights::parameter(self, HEAD),
            (Block::Stack(Stack::Encoder), Weight::TokenTable) => {
                weights::parameter(self, ENCODER_TABLE)
            }
            (_, Weight::TokenTable) => weights::parameter(self, DECODER_TABLE),
            _ => None,
        };
        own.or_else(|| weights::parameter(self, &name(parameter)?))
    }

    fn weights(&self) -> usize {
        self.num_params()
    }

    #[cfg(feature = "train")]
    fn published(&self, precision: Precision) -> Result<(Value, Vec<u8>), ModelError> {
        let weights = weights::save_weights(self, precision)?;
        Ok((self.config_json(precision)?, weights))
    }
}

/// Returns the name of a parameter in the checkpoint; `None` if Marian has no such parameter.
fn name(Parameter { block, weight }: Parameter) -> Option<String> {
    let (stack, layer, sublayer) = match (block, weight) {
        (_, Weight::TokenTable | Weight::WUnembed) => return Some(TABLE.into()),
        (_, Weight::BUnembed) => return Some("final_logits_bias".into()),
        (Block::Sublayer(stack, layer, sublayer), _) => (stack, layer, sublayer),
        _ => return None,
    };
    let (attention, norm) = match sublayer {
        Sublayer::SelfAttention => ("self_attn.", "self_attn_layer_norm."),
        Sublayer::CrossAttention => ("encoder_attn.", "encoder_attn_layer_norm."),
        Sublayer::FeedForward => ("", "final_layer_norm."),
    };
    let (module, parameter) = match (sublayer, weight) {
        (_, Weight::NormGain) => (norm, "weight"),
        (_, Weight::NormBias) => (norm, "bias"),
        (Sublayer::FeedForward, Weight::WIn) => ("fc1.", "weight"),
        (Sublayer::FeedForward, Weight::BIn) => ("fc1.", "bias"),
        (Sublayer::FeedForward, Weight::WOut) => ("fc2.", "weight"),
        (Sublayer::FeedForward, Weight::BOut) => ("fc2.", "bias"),
        (Sublayer::FeedForward, _) => return None,
        (_, weight) => (attention, projection(weight)?),
    };
    Some(format!("model.{stack}.layers.{layer}.{module}{parameter}"))
}

/// Returns the name of a projection's parameter inside its attention.
fn projection(weight: Weight) -> Option<&'static str> {
    Some(match weight {
        Weight::WQ => "q_proj.weight",
        Weight::BQ => "q_proj.bias",
        Weight::WK => "k_proj.weight",
        Weight::BK => "k_proj.bias",
        Weight::WV => "v_proj.weight",
        Weight::BV => "v_proj.bias",
        Weight::WO => "out_proj.weight",
        Weight::BO => "out_proj.bias",
        _ => return None,
    })
}

#[derive(Module, Debug)]
struct MarianAttention {
    q_proj: Linear,
    k_proj: Linear,
    v_proj: Linear,
    out_proj: Linear,
    heads: usize,
}

impl MarianAttention {
    fn query(&self, x: Tensor<3>, tap: &mut Tap, block: Block) -> Tensor<3> {
        let (heads, d_k) = self.sizes();
        let query = linear(x, &self.q_proj);
        tap_heads(tap, block.at(Quantity::Query), query, d_k, heads)
    }

    fn key_value(&self, x: Tensor<3>, tap: &mut Tap, block: Block) -> [Tensor<3>; 2] {
        let (heads, d_k) = self.sizes();
        let (key, value) = (linear(x.clone(), &self.k_proj), linear(x, &self.v_proj));
        [
            tap_heads(tap, block.at(Quantity::Key), key, d_k, heads),
            tap_heads(tap, block.at(Quantity::Value), value, d_k, heads),
        ]
    }

    /// Returns the number of heads, and the width of each.
    fn sizes(&self) -> (usize, usize) {
        let [_, width] = self.q_proj.weight.dims();
        (self.heads, width / self.heads)
    }

    /// Computes attention to the keys and values, projected back to the model's width.
    fn forward(
        &self,
        query: Tensor<3>,
        [key, value]: [Tensor<3>; 2],
        mask: Option<Mask>,
        tap: &mut Tap,
        block: Block,
    ) -> Tensor<3> {
        let z = attend([query, key, value], self.heads, mask, tap, block);
        let output = linear(z, &self.out_proj);
        let output = tap.at(block.at(Quantity::Out), output);
        tap.dropout(output)
    }
}

#[derive(Module, Debug)]
struct MarianEncoderLayer {
    self_attn: MarianAttention,
    self_attn_layer_norm: LayerNorm,
    fc1: Linear,
    fc2: Linear,
    final_layer_norm: LayerNorm,
    #[module(skip)]
    activation: Activation,
}

impl MarianEncoderLayer {
    /// Maps `[batch, source, d_model]` to the same shape.
    fn forward(&self, x: Tensor<3>, mask: Option<Mask>, tap: &mut Tap, layer: usize) -> Tensor<3> {
        let block = |sublayer| Block::Sublayer(Stack::Encoder, layer, sublayer);
        let own = block(Sublayer::SelfAttention);
        let query = self.self_attn.query(x.clone(), tap, own);
        let key_value = self.self_attn.key_value(x.clone(), tap, own);
        let output = self.self_attn.forward(query, key_value, mask, tap, own);
        let x = add_and_norm(
            x,
            output,
            (&self.self_attn_layer_norm, NORM_EPSILON),
            tap,
            own,
        );

        let mlp = block(Sublayer::FeedForward);
        let layers = (&self.fc1, &self.fc2);
        let output = feed_forward(x.clone(), layers, self.activation.into(), tap, mlp);
        add_and_norm(x, output, (&self.final_layer_norm, NORM_EPSILON), tap, mlp)
    }
}

#[derive(Module, Debug)]
struct MarianDecoderLayer {
    self_attn: MarianAttention,
    self_attn_layer_norm: LayerNorm,
    encoder_attn: MarianAttention,
    encoder_attn_layer_norm: LayerNorm,
    fc1: Linear,
    fc2: Linear,
    final_layer_norm: LayerNorm,
    #[module(skip)]
    activation: Activation,
}

impl MarianDecoderLayer {
    /// Maps `[batch, new, d_model]` to the same shape.
    fn forward(
        &self,
        x: Tensor<3>,
        memory: Option<&Memory>,
        mask: Option<Mask>,
        LayerState { own, cross, .. }: &mut LayerState,
        tap: &mut Tap,
        layer: usize,
    ) -> Tensor<3> {
        let block = |sublayer| Block::Sublayer(Stack::Decoder, layer, sublayer);
        let at = block(Sublayer::SelfAttention);
        let query = self.self_attn.query(x.clone(), tap, at);
        let key_value = own.append(self.self_attn.key_value(x.clone(), tap, at));
        let output = self.self_attn.forward(query, key_value, mask, tap, at);
        let mut x = add_and_norm(
            x,
            output,
            (&self.self_attn_layer_norm, NORM_EPSILON),
            tap,
            at,
        );

        if let Some(memory) = memory {
            let at = block(Sublayer::CrossAttention);
            let attention = &self.encoder_attn;
            let query = attention.query(x.clone(), tap, at);
            let make = || attention.key_value(memory.states.clone(), tap, at);
            let key_value = cross.get_or_insert_with(make);
            let output = attention.forward(query, key_value, memory.mask.clone(), tap, at);
            x = add_and_norm(
                x,
                output,
                (&self.encoder_attn_layer_norm, NORM_EPSILON),
                tap,
                at,
            );
        }

        let at = block(Sublayer::FeedForward);
        let layers = (&self.fc1, &self.fc2);
        let output = feed_forward(x.clone(), layers, self.activation.into(), tap, at);
        add_and_norm(x, output, (&self.final_layer_norm, NORM_EPSILON), tap, at)
    }
}
