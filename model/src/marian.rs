//! The encoder–decoder Transformer of [Attention Is All You Need](https://arxiv.org/abs/1706.03762)
//! in the layout of [Marian](https://huggingface.co/docs/transformers/model_doc/marian) checkpoints:
//! post-norm, sinusoidal positions, embeddings shared by encoder, decoder and output. Those of
//! [BART](https://arxiv.org/abs/1910.13461) differ by learned positions, and by norms of the embeddings; those of
//! [M2M-100](https://arxiv.org/abs/2010.11125) and [NLLB](https://arxiv.org/abs/2207.04672) by pre-norm, by the positions of
//! padding, and by tokens that name the languages.
//!
//! Field names are the checkpoint's, so a parameter's path here is its name there.

mod layers;

use std::collections::BTreeSet;

pub use attention_trace::config::{Activation, MarianConfig, TranslatorConvention};
use attention_trace::positions::sinusoidal;
use attention_trace::{Block, ModelSpec, Parameter, Quantity, Stack, Sublayer, Weight};
use burn::module::Param;
use burn::nn::{Embedding, EmbeddingConfig, Initializer, LayerNorm};
use burn::prelude::*;
#[cfg(feature = "train")]
use serde_json::{Value, json};

use self::layers::{LayerSizes, MarianDecoderLayer, MarianEncoderLayer};
use crate::attention::Mask;
use crate::decoding::Rules;
use crate::error::ModelError;
use crate::family::{Family, Published};
use crate::kernels::{layer_norm, linear_transposed};
use crate::sequence::{Control, Memory, SequenceModel, Source, State};
use crate::sublayers::places_without;
use crate::tap::Tap;
use crate::weights::{self, FileNames, Layout};
#[cfg(feature = "train")]
use crate::{family::merge, weights::Precision};

/// The `model_type`s of the checkpoints of Marian, BART and M2M-100, and the function that loads them.
pub const FAMILY: Family = Family {
    model_types: &["marian", "bart", "m2m_100"],
    places_layers: false,
    load: |published, device| {
        let config: MarianConfig = published.config()?;
        check_implemented(published, config.convention)?;
        published.check_vocabulary(config.target_vocabulary())?;
        let layout = match config.shares_vocabulary {
            true => &LAYOUT,
            false => &SEPARATE,
        };
        let mut own = weights::own(published.weights, layout)?;
        if !config.shares_vocabulary {
            own.insert(ENCODER_TABLE);
        }
        let model = Marian::new(&config, device)?.with_tables(&own, device);
        Ok(Box::new(weights::load(model, published.weights, layout)?))
    },
};

/// The files of the checkpoints of the family.
pub(crate) const LAYOUT: Layout = Layout {
    model: Some("MarianMTModel, BartForConditionalGeneration or M2M100ForConditionalGeneration"),
    base: "model.",
    tied: &[TABLE, HEAD, DECODER_TABLE, ENCODER_TABLE],
    ..Layout::PATHS
};

/// The files of a checkpoint with separate vocabularies, in which the shared table is that of the target.
const SEPARATE: Layout = Layout {
    tied: &[TABLE, HEAD, DECODER_TABLE],
    ..LAYOUT
};

/// The table that embeds source and target and gives the logits.
const TABLE: &str = "model.shared.weight";
/// The tables and the output matrix, if they are separate.
const ENCODER_TABLE: &str = "model.encoder.embed_tokens.weight";
const DECODER_TABLE: &str = "model.decoder.embed_tokens.weight";
const HEAD: &str = "lm_head.weight";

/// Refuses switches of `config.json` that are not set to the only implemented value.
fn check_implemented(
    published: &Published<'_>,
    convention: TranslatorConvention,
) -> Result<(), ModelError> {
    published.check_implemented(&[("tie_word_embeddings", true.into())])?;
    if convention != TranslatorConvention::Marian {
        published.check_implemented(&[("share_encoder_decoder_embeddings", true.into())])?;
    }
    let is_bart = convention == TranslatorConvention::Bart;
    if convention != TranslatorConvention::M2m100 {
        published.check_implemented(&[
            ("normalize_before", false.into()),
            ("add_final_layer_norm", false.into()),
            ("static_position_embeddings", (!is_bart).into()),
            ("normalize_embedding", is_bart.into()),
        ])?;
    }
    match is_bart {
        true => published.check_implemented(&[("extra_pos_embeddings", 2.into())]),
        false => Ok(()),
    }
}

/// The ε of every layer normalisation: PyTorch's default, which all families keep.
const NORM_EPSILON: f64 = 1e-5;

/// The whole model, from tokens to logits.
#[derive(Module, Debug)]
pub struct Marian {
    model: MarianModel,
    final_logits_bias: Option<Param<Tensor<2>>>,
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
    embed_positions: Option<Embedding>,
    layernorm_embedding: Option<LayerNorm>,
    layers: Vec<MarianEncoderLayer>,
    layer_norm: Option<LayerNorm>,
}

#[derive(Module, Debug)]
struct MarianDecoder {
    /// The table, if it is separate from the shared one.
    embed_tokens: Option<Embedding>,
    embed_positions: Option<Embedding>,
    layernorm_embedding: Option<LayerNorm>,
    layers: Vec<MarianDecoderLayer>,
    layer_norm: Option<LayerNorm>,
}

impl Marian {
    /// Creates a new model with random weights: Xavier for projections, `N(0, d_model^-½)` for embeddings.
    ///
    /// # Errors
    /// If the sizes do not fit each other.
    pub fn new(config: &MarianConfig, device: &Device) -> Result<Self, ModelError> {
        config.validate()?;
        let encoder = LayerSizes::of(config, Stack::Encoder);
        let decoder = LayerSizes::of(config, Stack::Decoder);
        let normal = Initializer::Normal {
            mean: 0.0,
            std: (config.d_model as f64).powf(-0.5),
        };
        let table = |rows| {
            EmbeddingConfig::new(rows, config.d_model)
                .with_initializer(normal.clone())
                .init(device)
        };
        let first = config.first_position();
        let positions = || first.map(|first| table(first + config.max_position_embeddings));
        let embedding_norm = || first.map(|_| encoder.norm(device));
        let last_norm = || config.has_last_norm().then(|| encoder.norm(device));
        Ok(Marian {
            model: MarianModel {
                shared: table(config.target_vocabulary()),
                encoder: MarianEncoder {
                    embed_tokens: None,
                    embed_positions: positions(),
                    layernorm_embedding: embedding_norm(),
                    layers: (0..config.encoder_layers)
                        .map(|_| encoder.encoder(device))
                        .collect(),
                    layer_norm: last_norm(),
                },
                decoder: MarianDecoder {
                    embed_tokens: None,
                    embed_positions: positions(),
                    layernorm_embedding: embedding_norm(),
                    layers: (0..config.decoder_layers)
                        .map(|_| decoder.decoder(device))
                        .collect(),
                    layer_norm: last_norm(),
                },
            },
            final_logits_bias: config.has_output_bias().then(|| {
                Initializer::Zeros
                    .init([1, config.target_vocabulary()], device)
                    .no_grad()
            }),
            lm_head: None,
            config: config.clone(),
        })
    }

    /// Adds a separate matrix for each of the named places.
    fn with_tables(mut self, own: &BTreeSet<&str>, device: &Device) -> Self {
        let width = self.config.d_model;
        let table = |name, rows| {
            let is_own = own.contains(name);
            is_own.then(|| EmbeddingConfig::new(rows, width).init(device))
        };
        let target = self.config.target_vocabulary();
        let encoder = table(ENCODER_TABLE, self.config.vocab_size);
        let (decoder, head) = (table(DECODER_TABLE, target), table(HEAD, target));
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

    /// Returns the normalisation of a stack's embeddings, and that of its output, if it has them.
    fn norms(&self, stack: Stack) -> (Option<&LayerNorm>, Option<&LayerNorm>) {
        let MarianModel {
            encoder, decoder, ..
        } = &self.model;
        let (embedding, last) = match stack {
            Stack::Encoder => (&encoder.layernorm_embedding, &encoder.layer_norm),
            Stack::Decoder => (&decoder.layernorm_embedding, &decoder.layer_norm),
        };
        (embedding.as_ref(), last.as_ref())
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

    /// Embedding plus position, normalised in BART, `[batch, length, d_model]`.
    fn embed(
        &self,
        tokens: Tensor<2, Int>,
        start: usize,
        stack: Stack,
        tap: &mut Tap,
    ) -> Tensor<3> {
        let block = Block::Stack(stack);
        let x = self.table(stack).forward(tokens.clone());
        let x = x.mul_scalar(self.config.embedding_factor());
        let x = tap.at(block.at(Quantity::TokenEmbedding), x);
        let x = match tap.knows_positions() {
            true => x + self.positions(tokens, start, stack),
            false => x,
        };
        let x = match self.norms(stack).0 {
            Some(norm) => layer_norm(x, norm, NORM_EPSILON),
            None => x,
        };
        let x = tap.at(block.at(Quantity::Embedding), x);
        tap.dropout(x)
    }

    /// Returns the vectors of the positions from `start` on, in a shape that expands to `[batch, length, d_model]`.
    fn positions(&self, tokens: Tensor<2, Int>, start: usize, stack: Stack) -> Tensor<3> {
        let [_, length] = tokens.dims();
        let table = match stack {
            Stack::Encoder => &self.model.encoder.embed_positions,
            Stack::Decoder => &self.model.decoder.embed_positions,
        };
        if let Some(table) = table {
            let first = self.config.first_position().unwrap_or_default() + start;
            return table.weight.val().narrow(0, first, length).unsqueeze();
        }
        let width = self.config.d_model;
        let from = self.config.first_sinusoid() + start;
        let rows = sinusoidal(from..from + length, width, self.config.layout());
        let rows = Tensor::<2>::from_data(TensorData::new(rows, [length, width]), &tokens.device());
        match self.config.uncounted() {
            None => rows.unsqueeze(),
            Some(padding) => {
                let none = Tensor::zeros([1, width], &tokens.device());
                let rows = Tensor::cat(vec![none, rows], 0);
                burn::tensor::module::embedding(rows, places_without(tokens, padding))
            }
        }
    }

    /// Normalises the output of a stack, if the family does.
    fn last(&self, x: Tensor<3>, stack: Stack, tap: &mut Tap) -> Tensor<3> {
        match self.norms(stack).1 {
            Some(norm) => {
                let site = Block::Stack(stack).at(Quantity::FinalNorm);
                tap.at(site, layer_norm(x, norm, NORM_EPSILON))
            }
            None => x,
        }
    }
}

impl SequenceModel for Marian {
    fn spec(&self) -> ModelSpec {
        self.config.spec()
    }

    fn control(&self) -> Control {
        let suppressed = match self.config.convention {
            TranslatorConvention::Marian => self.config.pad_token_id.as_slice().to_vec(),
            TranslatorConvention::Bart | TranslatorConvention::M2m100 => vec![],
        };
        Control {
            start: self.config.decoder_start_token_id,
            padding: self.config.padding(),
            names_languages: self.config.convention == TranslatorConvention::M2m100,
            rules: Rules {
                end_tokens: self.config.eos_token_id.as_slice().to_vec(),
                forced_last: self.config.forced_eos_token_id.as_slice().to_vec(),
                suppressed,
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
            let states = self.last(x, Stack::Encoder, tap);
            Memory { states, mask }
        });
        State::new(memory, self.config.decoder_layers)
    }

    fn advance(&self, tokens: Tensor<2, Int>, state: &mut State, tap: &mut Tap) -> Tensor<3> {
        let [_, new] = tokens.dims();
        let State {
            memory,
            position,
            layers,
            ..
        } = state;
        let mask = (new > 1 && tap.is_causal()).then_some(Mask::Causal);
        tap.enter(Stack::Decoder, *position);
        let mut x = self.embed(tokens, *position, Stack::Decoder, tap);
        for (index, layer) in self.model.decoder.layers.iter().enumerate() {
            let kept = &mut layers[index];
            x = layer.forward(x, memory.as_ref(), mask.clone(), kept, tap, index);
        }
        *position += new;
        self.last(x, Stack::Decoder, tap)
    }

    fn last_norm(&self, states: Tensor<2>) -> Tensor<2> {
        match self.norms(Stack::Decoder).1 {
            Some(norm) => layer_norm(states.unsqueeze::<3>(), norm, NORM_EPSILON).squeeze_dim(0),
            None => states,
        }
    }

    fn logits(&self, states: Tensor<2>) -> Tensor<2> {
        let table = self.lm_head.as_ref().unwrap_or(&self.model.shared);
        let logits = linear_transposed(states, table.weight.val());
        match &self.final_logits_bias {
            Some(bias) => logits + bias.val(),
            None => logits,
        }
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
        let found = own.or_else(|| weights::parameter(self, &name(parameter)?))?;
        Some(match (parameter.weight, self.config.first_position()) {
            // A row for each position.
            (Weight::PositionTable, Some(first)) => {
                found.narrow(0, first, self.config.max_position_embeddings)
            }
            _ => found,
        })
    }

    fn weights(&self) -> usize {
        self.num_params()
    }

    fn file_names(&self) -> FileNames {
        FileNames::of(self, &LAYOUT)
    }

    #[cfg(feature = "train")]
    fn published(&self, precision: Precision) -> Result<(Value, Vec<u8>), ModelError> {
        if self.config.convention != TranslatorConvention::Marian {
            let model_type = self.config.convention.model_type();
            return Err(ModelError::Unsupported(format!(
                "a model of the type {model_type} is read, not written"
            )));
        }
        let weights = weights::save_weights(self, precision)?;
        Ok((self.config_json(precision)?, weights))
    }
}

/// Returns the name of a parameter in the checkpoint; `None` if Marian has no such parameter.
fn name(Parameter { block, weight }: Parameter) -> Option<String> {
    let (stack, layer, sublayer) = match (block, weight) {
        (_, Weight::TokenTable | Weight::WUnembed) => return Some(TABLE.into()),
        (_, Weight::BUnembed) => return Some("final_logits_bias".into()),
        (Block::Stack(stack), weight) => {
            let parameter = match weight {
                Weight::PositionTable => "embed_positions.weight",
                Weight::EmbeddingNormGain => "layernorm_embedding.weight",
                Weight::EmbeddingNormBias => "layernorm_embedding.bias",
                Weight::NormGain => "layer_norm.weight",
                Weight::NormBias => "layer_norm.bias",
                _ => return None,
            };
            return Some(format!("model.{stack}.{parameter}"));
        }
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
