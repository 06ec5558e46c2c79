//! Recurrent encoder–decoders: a GRU reads the source, another one writes the target, with one vector of fixed length
//! between them ([Sutskever et al. 2014](https://arxiv.org/abs/1409.3215)), or attention to all states of the encoder
//! ([Bahdanau et al. 2014](https://arxiv.org/abs/1409.0473), [Luong et al. 2015](https://arxiv.org/abs/1508.04025)).
//!
//! One table embeds source and target and makes the logits. What makes them of a state and a context is Luong's
//! attentional state `tanh(W [s; c])` in all of them; Bahdanau's maxout layer and Luong's input feeding are left out.
//!
//! Field names are the checkpoint's, so a parameter's path here is its name there.

mod alignment;
pub(crate) mod cell;

pub use attention_trace::config::GruConfig;
use attention_trace::{Block, ModelSpec, Parameter, Quantity, Site, Stack, Sublayer, Weight};
use burn::module::Param;
use burn::nn::{Embedding, EmbeddingConfig, Initializer, Linear};
use burn::prelude::*;
#[cfg(feature = "train")]
use serde_json::{Value, json};

use self::alignment::{Alignment, Keys, Looked, show};
use self::cell::{Gru, project, project_row, steps, tanh};
use crate::decoding::Rules;
use crate::error::ModelError;
use crate::family::Family;
use crate::kernels::linear_transposed;
use crate::sequence::{Control, LayerState, Memory, SequenceModel, Source, State};
use crate::tap::Tap;
use crate::weights::{self, FileNames, Layout};
#[cfg(feature = "train")]
use crate::{family::merge, weights::Precision};

/// The `model_type` of the checkpoints of recurrent encoder–decoders, a format of this project, and the function that
/// loads them.
pub const FAMILY: Family = Family {
    model_types: &["gru_seq2seq"],
    places_layers: false,
    load: |published, device| {
        let config: GruConfig = published.config()?;
        published.check_vocabulary(config.vocab_size)?;
        let model = GruSeq2Seq::new(&config, device)?;
        Ok(Box::new(weights::load(
            model,
            published.weights,
            &Layout::PATHS,
        )?))
    },
};

/// Returns the place of a stack's states.
const fn states_of(stack: Stack) -> Site {
    Site {
        block: Block::Stack(stack),
        quantity: Quantity::State,
    }
}

/// The whole model, from tokens to logits.
#[derive(Module, Debug)]
pub struct GruSeq2Seq {
    embedding: Embedding,
    encoder: Encoder,
    /// Computes the decoder's first state from the states of a bidirectional encoder: `tanh(W ←h₁ + b)`, and
    /// `tanh(W [→hₙ; ←h₁] + b)` without attention.
    initial: Option<Linear>,
    decoder: Gru,
    /// The projection of the context for the decoder's gates, beside the embedding.
    context: Option<Linear>,
    attention: Option<Alignment>,
    readout: Linear,
    output_bias: Param<Tensor<1>>,
    #[module(skip)]
    config: GruConfig,
}

#[derive(Module, Debug)]
struct Encoder {
    forward: Gru,
    backward: Option<Gru>,
}

impl Encoder {
    /// Maps `[batch, source, embedding]` to states, `[batch, source, width]`.
    fn read(&self, x: Tensor<3>, padding: Option<Tensor<2, Bool>>) -> Tensor<3> {
        let real = padding.map(|padding| steps(padding.bool_not().float().unsqueeze_dim::<3>(2)));
        let forward = self.forward.read(x.clone(), real.as_deref(), false);
        match &self.backward {
            Some(backward) => {
                let backward = backward.read(x, real.as_deref(), true);
                Tensor::cat(vec![forward, backward], 2)
            }
            None => forward,
        }
    }
}

impl GruSeq2Seq {
    /// Creates a new model with random weights: PyTorch's for the recurrences, Xavier for the other projections, and
    /// `N(0, embedding_size^-½)` for embeddings.
    ///
    /// # Errors
    /// If the sizes do not fit each other.
    pub fn new(config: &GruConfig, device: &Device) -> Result<Self, ModelError> {
        config.validate()?;
        let (embedding, width) = (config.embedding_size, config.hidden_size);
        let direction = config.direction_size();
        let linear = |input: usize, output: usize, is_biased: bool| Linear {
            weight: Initializer::XavierUniform { gain: 1.0 }.init_with(
                [input, output],
                Some(input),
                Some(output),
                device,
            ),
            bias: is_biased.then(|| Initializer::Zeros.init([output], device)),
        };
        let attention = Alignment::new(config.attention, width, device);
        let is_fed = attention.as_ref().is_some_and(Alignment::comes_first);
        let read_out = match attention {
            Some(_) => 2 * width,
            None => width,
        };
        Ok(GruSeq2Seq {
            embedding: EmbeddingConfig::new(config.vocab_size, embedding)
                .with_initializer(Initializer::Normal {
                    mean: 0.0,
                    std: (embedding as f64).powf(-0.5),
                })
                .init(device),
            encoder: Encoder {
                forward: Gru::new(embedding, direction, device),
                backward: (config.bidirectional).then(|| Gru::new(embedding, direction, device)),
            },
            initial: (config.bidirectional).then(|| linear(config.summary_size(), width, true)),
            decoder: Gru::new(embedding, width, device),
            context: is_fed.then(|| linear(width, 3 * width, false)),
            attention,
            readout: linear(read_out, embedding, true),
            output_bias: Initializer::Zeros.init([config.vocab_size], device),
            config: config.clone(),
        })
    }

    /// Returns the configuration the model was built from.
    pub fn config(&self) -> &GruConfig {
        &self.config
    }

    /// Computes the embeddings of tokens, `[batch, length, embedding]`.
    fn embed(&self, tokens: Tensor<2, Int>, stack: Stack, tap: &mut Tap) -> Tensor<3> {
        let x = self.embedding.forward(tokens);
        let x = x.mul_scalar(self.config.embedding_factor());
        let x = tap.at(Block::Stack(stack).at(Quantity::Embedding), x);
        tap.dropout(x)
    }

    /// Computes the decoder's first state, `[batch, width]`. It is the encoder's last state, which stays that of the
    /// last token at padding. With a bidirectional encoder, it is a projection of the first state of the backward
    /// direction, and without attention of the ends of both directions, since nothing else of the source reaches the
    /// decoder.
    fn first_state(&self, states: Tensor<3>) -> Tensor<2> {
        let [_, source, width] = states.dims();
        let end = |row: usize, first: usize, width: usize| {
            let row = states.clone().narrow(1, row, 1);
            row.narrow(2, first, width).squeeze_dim::<2>(1)
        };
        let half = width / 2;
        match (&self.initial, &self.attention) {
            (None, _) => end(source - 1, 0, width),
            (Some(initial), Some(_)) => tanh(project_row(end(0, half, half), initial)),
            (Some(initial), None) => {
                let ends = vec![end(source - 1, 0, half), end(0, half, half)];
                tanh(project_row(Tensor::cat(ends, 1), initial))
            }
        }
    }

    /// Returns the encoder's states in the form that the attention reads, if there is one.
    fn keys(&self, memory: &Memory, kept: &mut LayerState, tap: &mut Tap) -> Option<Keys> {
        let attention = self.attention.as_ref()?;
        let make = || attention.key_value(memory.states.clone(), tap);
        let [key, value] = kept.cross.get_or_insert_with(make);
        Some(Keys {
            key,
            value,
            mask: memory.mask.clone(),
        })
    }

    /// Computes the decoder's states, `[batch, new, width]`, after each of the tokens embedded in `x`, and the results
    /// of attention, if it comes before each state.
    fn write(
        &self,
        x: Tensor<3>,
        mut state: Tensor<2>,
        keys: Option<&Keys>,
        first: usize,
        tap: &mut Tap,
    ) -> (Tensor<3>, Vec<Looked>) {
        let (mut states, mut looked) = (vec![], vec![]);
        for (index, mut gates) in steps(self.decoder.gates(x)).into_iter().enumerate() {
            tap.enter(Stack::Decoder, first + index);
            if let (Some(attention), Some(matrix), Some(keys)) =
                (&self.attention, &self.context, keys)
            {
                let row = attention.look(state.clone().unsqueeze_dim(1), keys, tap);
                let context = row.context.clone().squeeze_dim::<3>(1).squeeze_dim(1);
                gates = gates + project_row(context, matrix);
                looked.push(row);
            }
            let next = self.decoder.step(gates, state).unsqueeze_dim::<3>(1);
            let next = tap.part(states_of(Stack::Decoder), next);
            state = next.clone().squeeze_dim(1);
            states.push(next);
        }
        tap.enter(Stack::Decoder, first);
        let states = Tensor::cat(states, 1);
        tap.show(states_of(Stack::Decoder), || states.clone());
        (states, looked)
    }

    /// Combines states and contexts into the input of the logits, `tanh(W [s; c] + b)`.
    fn read_out(&self, states: Tensor<3>, looked: &[Looked], tap: &mut Tap) -> Tensor<3> {
        let contexts = looked.iter().map(|row| row.context.clone().squeeze_dim(1));
        let contexts: Vec<Tensor<3>> = contexts.collect();
        let states = match contexts.is_empty() {
            true => states,
            false => Tensor::cat(vec![states, Tensor::cat(contexts, 1)], 2),
        };
        let site = Block::Stack(Stack::Decoder).at(Quantity::Readout);
        let out = tap.at(site, tanh(project(states, &self.readout)));
        tap.dropout(out)
    }

    /// Returns the `config.json` to publish with the weights.
    #[cfg(feature = "train")]
    fn config_json(&self, precision: Precision) -> Result<Value, ModelError> {
        Ok(merge(
            serde_json::to_value(&self.config)?,
            json!({
                "model_type": "gru_seq2seq",
                "is_encoder_decoder": true,
                "tie_word_embeddings": true,
                "dtype": precision.name()
            }),
        ))
    }
}

impl SequenceModel for GruSeq2Seq {
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
            let states = self.encoder.read(x, source.padding);
            Memory {
                states: tap.at(states_of(Stack::Encoder), states),
                mask,
            }
        });
        State::new(memory, 1)
    }

    fn advance(&self, tokens: Tensor<2, Int>, state: &mut State, tap: &mut Tap) -> Tensor<3> {
        let [_, new] = tokens.dims();
        let State {
            memory: Some(memory),
            position,
            layers,
            ..
        } = state
        else {
            unreachable!("an encoder–decoder is given a source")
        };
        let kept = &mut layers[0];
        let keys = self.keys(memory, kept, tap);
        tap.enter(Stack::Decoder, *position);
        let x = self.embed(tokens, Stack::Decoder, tap);
        let before = kept.hidden.take();
        let before = before.unwrap_or_else(|| self.first_state(memory.states.clone()));
        let (states, mut looked) = self.write(x, before, keys.as_ref(), *position, tap);
        kept.hidden = Some(states.clone().narrow(1, new - 1, 1).squeeze_dim(1));
        *position += new;
        if let (Some(attention), Some(keys)) = (&self.attention, &keys) {
            if !attention.comes_first() {
                looked.push(attention.look(states.clone(), keys, tap));
            }
            show(&looked, attention, tap);
        }
        self.read_out(states, &looked, tap)
    }

    fn logits(&self, states: Tensor<2>) -> Tensor<2> {
        let bias = self.output_bias.val().unsqueeze();
        linear_transposed(states, self.embedding.weight.val()) + bias
    }

    fn parameter(&self, parameter: Parameter) -> Option<Tensor<2>> {
        weights::parameter(self, name(parameter)?)
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

/// Returns the name of a parameter in the checkpoint; `None` if a recurrent model has none of that kind.
fn name(Parameter { block, weight }: Parameter) -> Option<&'static str> {
    let cross = Block::Sublayer(Stack::Decoder, 0, Sublayer::CrossAttention);
    match weight {
        Weight::TokenTable | Weight::WUnembed => Some("embedding.weight"),
        Weight::BUnembed => Some("output_bias"),
        Weight::WQ if block == cross => Some("attention.query.weight"),
        Weight::WK if block == cross => Some("attention.key.weight"),
        _ => None,
    }
}
