//! The Universal Transformer ([Dehghani et al. 2018](https://arxiv.org/abs/1807.03819)): one block of the encoder and
//! one of the decoder, each used again at every depth. Before each use signals of position and depth are added to the
//! states, and each position decides by Adaptive Computation Time ([Graves 2016](https://arxiv.org/abs/1603.08983)) how
//! many depths it takes part in. One table embeds source and target and makes the logits.
//!
//! Field names are the checkpoint's, so a parameter's path here is its name there.

mod block;
mod halting;

pub use attention_trace::config::UniversalConfig;
use attention_trace::positions::sinusoidal;
use attention_trace::{Block, ModelSpec, Parameter, Quantity, Site, Stack, Sublayer, Weight};
use burn::module::Param;
use burn::nn::{Embedding, EmbeddingConfig, Initializer, Linear};
use burn::prelude::*;
#[cfg(feature = "train")]
use serde_json::{Value, json};

use self::block::{Sizes, UniversalBlock};
use self::halting::Halted;
use crate::attention::Mask;
use crate::decoding::Rules;
use crate::error::ModelError;
use crate::family::Family;
use crate::kernels::linear_transposed;
use crate::sequence::{Control, Memory, SequenceModel, Source, State};
use crate::tap::Tap;
use crate::weights::{self, FileNames, Layout};
#[cfg(feature = "train")]
use crate::{family::merge, weights::Precision};

/// The `model_type` of the checkpoints of Universal Transformers, a format of this project, and the function that loads
/// them.
pub const FAMILY: Family = Family {
    model_types: &["universal_transformer"],
    places_layers: false,
    load: |published, device| {
        let config: UniversalConfig = published.config()?;
        published.check_vocabulary(config.vocab_size)?;
        let model = Universal::new(&config, device)?;
        Ok(Box::new(weights::load(
            model,
            published.weights,
            &Layout::PATHS,
        )?))
    },
};

/// Returns the place of a depth's input; the input of the first depth is the stack's embedding.
const fn input_of(stack: Stack, depth: usize) -> Site {
    Site {
        block: match depth {
            0 => Block::Stack(stack),
            depth => Block::Sublayer(stack, depth, Sublayer::SelfAttention),
        },
        quantity: Quantity::Embedding,
    }
}

/// The whole model, from tokens to logits.
#[derive(Module, Debug)]
pub struct Universal {
    embedding: Embedding,
    encoder: UniversalStack,
    decoder: UniversalStack,
    output_bias: Param<Tensor<1>>,
    #[module(skip)]
    config: UniversalConfig,
}

/// A block, and the layer that decides when a position halts.
#[derive(Module, Debug)]
struct UniversalStack {
    block: UniversalBlock,
    halting: Option<Linear>,
}

impl Universal {
    /// Creates a new model with random weights: Xavier for projections, `N(0, d_model^-½)` for embeddings. Halting
    /// begins with a bias of −1, a probability of about 0.27, so that four depths are used at first.
    ///
    /// # Errors
    /// If the sizes do not fit each other.
    pub fn new(config: &UniversalConfig, device: &Device) -> Result<Self, ModelError> {
        config.validate()?;
        let sizes = Sizes {
            width: config.d_model,
            heads: config.attention_heads,
            inner: config.ffn_dim,
            activation: config.activation_function,
        };
        let stack = |attends_to_source| UniversalStack {
            block: sizes.block(attends_to_source, device),
            halting: config.halting.map(|_| Linear {
                weight: sizes.matrix(config.d_model, 1, device),
                bias: Some(Initializer::Constant { value: -1.0 }.init([1], device)),
            }),
        };
        Ok(Universal {
            embedding: EmbeddingConfig::new(config.vocab_size, config.d_model)
                .with_initializer(Initializer::Normal {
                    mean: 0.0,
                    std: (config.d_model as f64).powf(-0.5),
                })
                .init(device),
            encoder: stack(false),
            decoder: stack(true),
            output_bias: Initializer::Zeros.init([config.vocab_size], device),
            config: config.clone(),
        })
    }

    /// Returns the configuration the model was built from.
    pub fn config(&self) -> &UniversalConfig {
        &self.config
    }

    /// Computes the embeddings of tokens without positions, `[batch, length, width]`.
    fn embed(&self, tokens: Tensor<2, Int>, stack: Stack, tap: &mut Tap) -> Tensor<3> {
        let x = self.embedding.forward(tokens);
        let x = x.mul_scalar(self.config.embedding_factor());
        tap.at(Block::Stack(stack).at(Quantity::TokenEmbedding), x)
    }

    /// Computes the signals of positions from `first` on and of a depth from 0, `[1, length, width]`: two sinusoidal
    /// encodings, the second one the same for all positions (Dehghani et al. 2018, equations 6 and 7, with depths from
    /// 1).
    fn signals(
        &self,
        first: usize,
        length: usize,
        depth: usize,
        tap: &Tap,
        device: &Device,
    ) -> Tensor<3> {
        let width = self.config.d_model;
        let row = |index: usize| sinusoidal(index..index + 1, width, UniversalConfig::LAYOUT);
        let mut signals = match tap.knows_positions() {
            true => sinusoidal(first..first + length, width, UniversalConfig::LAYOUT),
            false => vec![0.0; length * width],
        };
        for (signal, of_depth) in signals.iter_mut().zip(row(depth + 1).iter().cycle()) {
            *signal += of_depth;
        }
        Tensor::from_data(TensorData::new(signals, [1, length, width]), device)
    }

    /// Computes the output of a stack, `[batch, length, width]`, from its embedded tokens: `block` computes the states
    /// of a depth from the depth's input and number.
    fn repeat(
        &self,
        embedded: Tensor<3>,
        (stack, first): (Stack, usize),
        tap: &mut Tap,
        mut block: impl FnMut(Tensor<3>, usize, &mut Tap) -> Tensor<3>,
    ) -> Tensor<3> {
        let [_, length, _] = embedded.dims();
        let device = embedded.device();
        let mut states = embedded;
        let mut halted = self.halted(stack, &states, tap);
        for depth in 0..self.config.max_depth {
            let signals = self.signals(first, length, depth, tap, &device);
            let x = tap.at(input_of(stack, depth), states.clone() + signals);
            let x = match depth {
                0 => tap.dropout(x),
                _ => x,
            };
            let made = block(x, depth, tap);
            states = match &mut halted {
                Some(halted) => halted.pass(states, made, depth, tap),
                None => made,
            };
        }
        match halted {
            Some(halted) => halted.finish(tap),
            None => states,
        }
    }

    /// Returns the halting state before the first depth, in which no position has halted; `None` if the model has no
    /// halting.
    fn halted(&self, stack: Stack, states: &Tensor<3>, tap: &Tap) -> Option<Halted<'_>> {
        let weights = match stack {
            Stack::Encoder => &self.encoder.halting,
            Stack::Decoder => &self.decoder.halting,
        };
        let (linear, halting) = (weights.as_ref()?, self.config.halting?);
        let (halting, depths) = tap.halting(halting, self.config.max_depth);
        Some(Halted::none(linear, halting, depths, stack, states))
    }

    /// Returns the `config.json` to publish with the weights.
    #[cfg(feature = "train")]
    fn config_json(&self, precision: Precision) -> Result<Value, ModelError> {
        Ok(merge(
            serde_json::to_value(&self.config)?,
            json!({
                "model_type": "universal_transformer",
                "is_encoder_decoder": true,
                "tie_word_embeddings": true,
                "dtype": precision.name()
            }),
        ))
    }
}

impl SequenceModel for Universal {
    fn spec(&self) -> ModelSpec {
        self.config.spec()
    }

    fn control(&self) -> Control {
        Control {
            start: self.config.decoder_start_token_id,
            padding: self.config.pad_token_id,
            rules: Rules {
                end_tokens: self.config.eos_token_id.as_slice().to_vec(),
                suppressed: self.config.pad_token_id.as_slice().to_vec(),
                ..Rules::default()
            },
            ..Control::default()
        }
    }

    fn start(&self, source: Option<Source>, tap: &mut Tap) -> State {
        let memory = source.map(|source| {
            let mask = source.mask();
            tap.enter(Stack::Encoder, 0);
            let x = self.embed(source.tokens, Stack::Encoder, tap);
            let block = &self.encoder.block;
            let states = self.repeat(x, (Stack::Encoder, 0), tap, |x, depth, tap| {
                block.read(x, mask.clone(), tap, depth)
            });
            Memory { states, mask }
        });
        State::new(memory, self.config.max_depth)
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
        let x = self.embed(tokens, Stack::Decoder, tap);
        let block = &self.decoder.block;
        // Keys and values of the source are the same at every depth, since weights and source are.
        let mut source = None;
        let states = self.repeat(x, (Stack::Decoder, *position), tap, |x, depth, tap| {
            let kept = &mut layers[depth];
            let x = block.look_back(x, mask.clone(), kept, tap, depth);
            let x = match memory.as_ref() {
                Some(memory) => block.look_at_source(x, memory, &mut source, kept, tap, depth),
                None => x,
            };
            block.feed_forward(x, Stack::Decoder, tap, depth)
        });
        *position += new;
        states
    }

    fn logits(&self, states: Tensor<2>) -> Tensor<2> {
        let bias = self.output_bias.val().unsqueeze();
        linear_transposed(states, self.embedding.weight.val()) + bias
    }

    fn parameter(&self, parameter: Parameter) -> Option<Tensor<2>> {
        weights::parameter(self, &name(&self.config, parameter)?)
    }

    fn weights(&self) -> usize {
        self.num_params()
    }

    fn file_names(&self) -> FileNames {
        FileNames::of(self, &Layout::PATHS)
    }

    #[cfg(feature = "train")]
    fn published(&self, precision: Precision) -> Result<(Value, Vec<u8>), ModelError> {
        let weights = weights::save_weights(self, precision)?;
        Ok((self.config_json(precision)?, weights))
    }
}

/// Returns the name of a parameter in the checkpoint, the same for every depth; `None` if there is no such parameter.
fn name(config: &UniversalConfig, Parameter { block, weight }: Parameter) -> Option<String> {
    let (stack, sublayer) = match (block, weight) {
        (_, Weight::TokenTable | Weight::WUnembed) => return Some("embedding.weight".into()),
        (_, Weight::BUnembed) => return Some("output_bias".into()),
        (Block::Sublayer(stack, depth, sublayer), _) if depth < config.max_depth => {
            (stack, sublayer)
        }
        _ => return None,
    };
    let module = match sublayer {
        Sublayer::SelfAttention => "self_attention",
        Sublayer::CrossAttention if stack == Stack::Decoder => "cross_attention",
        Sublayer::CrossAttention => return None,
        Sublayer::FeedForward => "feed_forward",
    };
    let is_mlp = sublayer == Sublayer::FeedForward;
    let parameter = match weight {
        Weight::NormGain => "norm.weight",
        Weight::NormBias => "norm.bias",
        Weight::WIn if is_mlp => "inner.weight",
        Weight::BIn if is_mlp => "inner.bias",
        Weight::WOut if is_mlp => "outer.weight",
        Weight::BOut if is_mlp => "outer.bias",
        Weight::WQ if !is_mlp => "query.weight",
        Weight::BQ if !is_mlp => "query.bias",
        Weight::WK if !is_mlp => "key.weight",
        Weight::BK if !is_mlp => "key.bias",
        Weight::WV if !is_mlp => "value.weight",
        Weight::BV if !is_mlp => "value.bias",
        Weight::WO if !is_mlp => "out.weight",
        Weight::BO if !is_mlp => "out.bias",
        _ => return None,
    };
    Some(format!("{stack}.block.{module}.{parameter}"))
}
