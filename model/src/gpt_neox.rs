//! The decoder-only Transformer of [GPT-NeoX](https://arxiv.org/abs/2204.06745) and
//! [Pythia](https://arxiv.org/abs/2304.01373) in the layout of Hugging Face's
//! [`GPTNeoXForCausalLM`](https://huggingface.co/docs/transformers/model_doc/gpt_neox) checkpoints: pre-norm with
//! LayerNorm, rotary positions for a part of each head, biases in all layers, and feed-forward networks that read the same
//! residual stream as the attention beside them.
//!
//! Field names are the checkpoint's, so a parameter's path here is its name there.

pub use attention_trace::config::GptNeoXConfig;
use attention_trace::{
    Block, ModelSpec, Nonlinearity, Parameter, Quantity, Stack, Sublayer, Weight,
};
use burn::nn::{EmbeddingConfig, Initializer, LayerNorm, LayerNormConfig, LinearConfig};
use burn::prelude::*;

use crate::attention::{KeyValueCache, Mask, attend, tap_heads};
use crate::decoding::Rules;
use crate::error::ModelError;
use crate::family::Family;
use crate::kernels::layer_norm;
use crate::layers::{AsStored, Embedding, Linear, Matrix};
use crate::placement::Moves;
use crate::rotation::Rotation;
use crate::sequence::{Control, SequenceModel, Source, State};
use crate::sublayers::feed_forward;
use crate::tap::Tap;
use crate::weights::{self, FileNames, Layout, Opened};

/// The `model_type` of GPT-NeoX's checkpoints and the function that loads them.
pub const FAMILY: Family = Family {
    model_types: &["gpt_neox"],
    places_layers: true,
    load: |published, main| {
        let config: GptNeoXConfig = published.config()?;
        published.check_vocabulary(config.vocab_size)?;
        let file = Opened::new(published.weights)?;
        let own = file.own(&LAYOUT)?;
        let is_own = own.contains(HEAD) || own.contains(OLD_HEAD);
        let config = GptNeoXConfig {
            tie_word_embeddings: config.tie_word_embeddings && !is_own,
            ..config
        };
        let layers = published
            .devices
            .of_layers(config.num_hidden_layers, |layer, device| {
                file.layer_bytes_on(layer, device)
            });
        let model = GptNeoX::placed(&config, main, &layers)?;
        let model = file.load_as_stored(model, &LAYOUT)?;
        Ok(Box::new(model))
    },
};

/// The embedding table, and the output matrix if the two are separate, with its name in published files.
const TABLE: &str = "gpt_neox.embed_in.weight";
const HEAD: &str = "lm_head.weight";
const OLD_HEAD: &str = "embed_out.weight";

/// The causal mask is in some files.
const LAYOUT: Layout = Layout {
    model: Some("GPTNeoXForCausalLM"),
    base: "gpt_neox.",
    tied: &[TABLE, HEAD, OLD_HEAD],
    names: |path| match path {
        HEAD => vec![HEAD.to_owned(), OLD_HEAD.to_owned()],
        path => vec![path.to_owned()],
    },
    is_extra: |name| name.ends_with(".attention.bias") || name.ends_with(".attention.masked_bias"),
    may_be_absent: |_| false,
    ..Layout::PATHS
};

/// The whole model, from tokens to logits.
#[derive(Module, Debug)]
pub struct GptNeoX {
    gpt_neox: GptNeoXModel,
    lm_head: Option<Linear>,
    #[module(skip)]
    config: GptNeoXConfig,
    #[module(skip)]
    moves: Moves,
}

#[derive(Module, Debug)]
struct GptNeoXModel {
    embed_in: Embedding,
    layers: Vec<GptNeoXLayer>,
    final_layer_norm: LayerNorm,
}

impl AsStored for GptNeoX {
    fn matrices(&mut self) -> Vec<Matrix<'_>> {
        let layers = self.gpt_neox.layers.iter_mut();
        let matrices = layers.flat_map(|GptNeoXLayer { attention, mlp, .. }| {
            [
                &mut attention.query_key_value,
                &mut attention.dense,
                &mut mlp.dense_h_to_4h,
                &mut mlp.dense_4h_to_h,
            ]
        });
        let matrices = matrices.chain(&mut self.lm_head).map(Linear::matrix);
        matrices.chain([self.gpt_neox.embed_in.matrix()]).collect()
    }
}

impl GptNeoX {
    /// Creates a new model with random weights, normally distributed around zero.
    ///
    /// # Errors
    /// If the sizes do not fit each other.
    pub fn new(config: &GptNeoXConfig, device: &Device) -> Result<Self, ModelError> {
        let layers = vec![device.clone(); config.num_hidden_layers];
        GptNeoX::placed(config, device, &layers)
    }

    /// [`new`](Self::new) with each layer on a device of its own, and everything else on the main one.
    fn placed(
        config: &GptNeoXConfig,
        main: &Device,
        layers: &[Device],
    ) -> Result<Self, ModelError> {
        config.validate()?;
        let on = |device| Initial { config, device };
        let width = config.hidden_size;
        Ok(GptNeoX {
            gpt_neox: GptNeoXModel {
                embed_in: EmbeddingConfig::new(config.vocab_size, width)
                    .with_initializer(on(main).initializer())
                    .init(main)
                    .into(),
                layers: layers.iter().map(|device| on(device).layer()).collect(),
                final_layer_norm: on(main).norm(),
            },
            lm_head: (!config.tie_word_embeddings)
                .then(|| on(main).linear(width, config.vocab_size, false)),
            config: config.clone(),
            moves: Moves::new(main, layers),
        })
    }

    /// Returns the rotation of queries and keys at new positions from `start` on.
    fn rotation(&self, start: usize, new: usize, device: &Device, tap: &Tap) -> Option<Rotation> {
        if !tap.knows_positions() {
            return None;
        }
        let Ok(rope) = self.config.rope(start + new) else {
            unreachable!("the configuration was checked when the model was made")
        };
        let width = self.config.rotary_width();
        let rope = tap.rope(rope);
        Some(Rotation::new(start..start + new, &rope, width, device))
    }
}

/// The parts of a new model on a device.
struct Initial<'a> {
    config: &'a GptNeoXConfig,
    device: &'a Device,
}

impl Initial<'_> {
    fn initializer(&self) -> Initializer {
        Initializer::Normal {
            mean: 0.0,
            std: self.config.initializer_range,
        }
    }

    fn linear(&self, input: usize, output: usize, is_biased: bool) -> Linear {
        let layer = LinearConfig::new(input, output)
            .with_bias(is_biased)
            .with_initializer(self.initializer());
        Linear::from(layer.init(self.device))
    }

    fn norm(&self) -> LayerNorm {
        LayerNormConfig::new(self.config.hidden_size)
            .with_epsilon(self.config.layer_norm_eps)
            .init(self.device)
    }

    fn layer(&self) -> GptNeoXLayer {
        let config = self.config;
        let (width, inner, is_biased) = (
            config.hidden_size,
            config.intermediate_size,
            config.attention_bias,
        );
        GptNeoXLayer {
            input_layernorm: self.norm(),
            post_attention_layernorm: self.norm(),
            attention: GptNeoXAttention {
                query_key_value: self.linear(width, 3 * width, is_biased),
                dense: self.linear(width, width, is_biased),
                heads: config.num_attention_heads,
            },
            mlp: GptNeoXMlp {
                dense_h_to_4h: self.linear(width, inner, true),
                dense_4h_to_h: self.linear(inner, width, true),
                nonlinearity: config.hidden_act,
            },
            epsilon: config.layer_norm_eps,
            is_parallel: config.use_parallel_residual,
        }
    }
}

impl SequenceModel for GptNeoX {
    fn spec(&self) -> ModelSpec {
        self.config.spec()
    }

    fn control(&self) -> Control {
        Control {
            rules: Rules {
                end_tokens: self.config.eos_token_id.as_slice().to_vec(),
                ..Rules::default()
            },
            ..Control::default()
        }
    }

    fn start(&self, _source: Option<Source>, _tap: &mut Tap) -> State {
        State::new(None, self.config.num_hidden_layers)
    }

    fn advance(&self, tokens: Tensor<2, Int>, state: &mut State, tap: &mut Tap) -> Tensor<3> {
        const STACK: Block = Block::Stack(Stack::Decoder);
        let [_, new] = tokens.dims();
        tap.enter(Stack::Decoder, state.position);
        let mut positions = PassPositions {
            rotation: self.rotation(state.position, new, &tokens.device(), tap),
            // A single new position sees all there is.
            mask: (new > 1 && tap.is_causal()).then_some(Mask::Causal),
        };
        let x = self.gpt_neox.embed_in.forward(tokens);
        let mut x = tap.at(STACK.at(Quantity::Embedding), x);
        for (index, layer) in self.gpt_neox.layers.iter().enumerate() {
            if let Some(device) = self.moves.before(index) {
                (x, positions) = (x.to_device(device), positions.to_device(device));
            }
            let kept = &mut state.layers[index].own;
            x = layer.forward(x, &positions, kept, tap, index);
        }
        if let Some(device) = self.moves.before(self.gpt_neox.layers.len()) {
            x = x.to_device(device);
        }
        state.position += new;
        let norm = &self.gpt_neox.final_layer_norm;
        let x = layer_norm(x, norm, self.config.layer_norm_eps);
        tap.at(STACK.at(Quantity::FinalNorm), x)
    }

    fn last_norm(&self, states: Tensor<2>) -> Tensor<2> {
        let norm = &self.gpt_neox.final_layer_norm;
        layer_norm(states.unsqueeze::<3>(), norm, self.config.layer_norm_eps).squeeze_dim(0)
    }

    fn logits(&self, states: Tensor<2>) -> Tensor<2> {
        match &self.lm_head {
            Some(head) => head.forward(states.unsqueeze()).squeeze_dim(0),
            None => self.gpt_neox.embed_in.logits(states),
        }
    }

    fn parameter(&self, parameter: Parameter) -> Option<Tensor<2>> {
        let Parameter { block, weight } = parameter;
        let (layer, sublayer) = match block {
            Block::Sublayer(Stack::Decoder, layer, sublayer) => (layer, sublayer),
            Block::Stack(Stack::Decoder) | Block::Model => {
                return weights::parameter(self, self.table(weight)?);
            }
            _ => return None,
        };
        let path = |name: &str| format!("gpt_neox.layers.{layer}.{name}");
        match (sublayer, fused(weight)) {
            (Sublayer::SelfAttention, Some((name, part))) => {
                let fused = weights::parameter(self, &path(name))?;
                Some(third(fused, part, self.config.num_attention_heads))
            }
            _ => weights::parameter(self, &path(of_layer(sublayer, weight)?)),
        }
    }

    fn weights(&self) -> usize {
        self.num_params()
    }

    fn file_names(&self) -> FileNames {
        FileNames::of(self, &LAYOUT)
    }
}

impl GptNeoX {
    /// Returns the name of a parameter that is outside all layers.
    fn table(&self, weight: Weight) -> Option<&'static str> {
        Some(match weight {
            Weight::WUnembed if self.lm_head.is_some() => HEAD,
            Weight::TokenTable | Weight::WUnembed => TABLE,
            Weight::NormGain => "gpt_neox.final_layer_norm.weight",
            Weight::NormBias => "gpt_neox.final_layer_norm.bias",
            _ => return None,
        })
    }
}

/// Returns the fused parameter that contains a projection's, and the index of its third.
fn fused(weight: Weight) -> Option<(&'static str, usize)> {
    let (matrix, bias) = (
        "attention.query_key_value.weight",
        "attention.query_key_value.bias",
    );
    Some(match weight {
        Weight::WQ => (matrix, 0),
        Weight::WK => (matrix, 1),
        Weight::WV => (matrix, 2),
        Weight::BQ => (bias, 0),
        Weight::BK => (bias, 1),
        Weight::BV => (bias, 2),
        _ => return None,
    })
}

/// Returns a third of each head's rows of a matrix, or of a vector given as a matrix of one row.
fn third(fused: Tensor<2>, part: usize, heads: usize) -> Tensor<2> {
    let [rows, columns] = fused.dims();
    let is_vector = rows == 1;
    let (outputs, inputs) = if is_vector {
        (columns, 1)
    } else {
        (rows, columns)
    };
    let d_k = outputs / 3 / heads;
    let by_head = fused.reshape([heads, 3, d_k, inputs]);
    let part = by_head.narrow(1, part, 1);
    match is_vector {
        true => part.reshape([1, heads * d_k]),
        false => part.reshape([heads * d_k, inputs]),
    }
}

/// Returns the name of a parameter within a layer.
fn of_layer(sublayer: Sublayer, weight: Weight) -> Option<&'static str> {
    Some(match (sublayer, weight) {
        (Sublayer::SelfAttention, Weight::NormGain) => "input_layernorm.weight",
        (Sublayer::SelfAttention, Weight::NormBias) => "input_layernorm.bias",
        (Sublayer::SelfAttention, Weight::WO) => "attention.dense.weight",
        (Sublayer::SelfAttention, Weight::BO) => "attention.dense.bias",
        (Sublayer::FeedForward, Weight::NormGain) => "post_attention_layernorm.weight",
        (Sublayer::FeedForward, Weight::NormBias) => "post_attention_layernorm.bias",
        (Sublayer::FeedForward, Weight::WIn) => "mlp.dense_h_to_4h.weight",
        (Sublayer::FeedForward, Weight::BIn) => "mlp.dense_h_to_4h.bias",
        (Sublayer::FeedForward, Weight::WOut) => "mlp.dense_4h_to_h.weight",
        (Sublayer::FeedForward, Weight::BOut) => "mlp.dense_4h_to_h.bias",
        _ => return None,
    })
}

/// The contributions of positions to a pass.
struct PassPositions {
    /// The rotation of queries and keys.
    rotation: Option<Rotation>,
    /// The keys that queries must not see.
    mask: Option<Mask>,
}

impl PassPositions {
    /// Returns the contributions to layers on a device.
    fn to_device(&self, device: &Device) -> Self {
        let rotation = self.rotation.as_ref();
        PassPositions {
            rotation: rotation.map(|rotation| rotation.to_device(device)),
            mask: self.mask.clone(),
        }
    }
}

#[derive(Module, Debug)]
struct GptNeoXAttention {
    /// Of each head the query's rows, the key's and the value's.
    query_key_value: Linear,
    dense: Linear,
    heads: usize,
}

impl GptNeoXAttention {
    /// Maps `[batch, new, hidden_size]` to the same shape.
    fn forward(
        &self,
        x: Tensor<3>,
        positions: &PassPositions,
        cache: &mut KeyValueCache,
        tap: &mut Tap,
        block: Block,
    ) -> Tensor<3> {
        let [batch, new, width] = x.dims();
        let (heads, d_k) = (self.heads, width / self.heads);
        let fused = self
            .query_key_value
            .forward(x)
            .reshape([batch, new, heads, 3 * d_k]);
        let part = |index| {
            let part = fused.clone().narrow(3, index * d_k, d_k);
            part.reshape([batch, new, width])
        };
        let (query, key, value) = (part(0), part(1), part(2));
        let mut by_heads = |quantity, x| tap_heads(tap, block.at(quantity), x, d_k, heads);
        let (query, key) = match &positions.rotation {
            Some(rotation) => {
                let query = by_heads(Quantity::QueryBeforeRope, query);
                let key = by_heads(Quantity::KeyBeforeRope, key);
                (rotation.apply(query, heads), rotation.apply(key, heads))
            }
            None => (query, key),
        };
        let query = by_heads(Quantity::Query, query);
        let key = by_heads(Quantity::Key, key);
        let value = by_heads(Quantity::Value, value);
        let [key, value] = cache.append([key, value]);
        let z = attend(
            [query, key, value],
            heads,
            positions.mask.clone(),
            tap,
            block,
        );
        let output = tap.at(block.at(Quantity::Out), self.dense.forward(z));
        tap.dropout(output)
    }
}

#[derive(Module, Debug)]
struct GptNeoXMlp {
    dense_h_to_4h: Linear,
    dense_4h_to_h: Linear,
    #[module(skip)]
    nonlinearity: Nonlinearity,
}

#[derive(Module, Debug)]
struct GptNeoXLayer {
    input_layernorm: LayerNorm,
    post_attention_layernorm: LayerNorm,
    attention: GptNeoXAttention,
    mlp: GptNeoXMlp,
    #[module(skip)]
    epsilon: f64,
    #[module(skip)]
    is_parallel: bool,
}

impl GptNeoXLayer {
    /// Maps `[batch, new, hidden_size]` to the same shape.
    fn forward(
        &self,
        x: Tensor<3>,
        positions: &PassPositions,
        cache: &mut KeyValueCache,
        tap: &mut Tap,
        layer: usize,
    ) -> Tensor<3> {
        let block = |sublayer| Block::Sublayer(Stack::Decoder, layer, sublayer);
        let own = block(Sublayer::SelfAttention);
        let normed = layer_norm(x.clone(), &self.input_layernorm, self.epsilon);
        let normed = tap.at(own.at(Quantity::Norm), normed);
        let output = self.attention.forward(normed, positions, cache, tap, own);
        let sum = tap.at(own.at(Quantity::Residual), x.clone() + output);

        let mlp = block(Sublayer::FeedForward);
        let input = if self.is_parallel { x } else { sum.clone() };
        let normed = layer_norm(input, &self.post_attention_layernorm, self.epsilon);
        let normed = tap.at(mlp.at(Quantity::Norm), normed);
        let GptNeoXMlp {
            dense_h_to_4h,
            dense_4h_to_h,
            nonlinearity,
        } = &self.mlp;
        let layers = (dense_h_to_4h, dense_4h_to_h);
        let output = feed_forward(normed, layers, *nonlinearity, tap, mlp);
        tap.at(mlp.at(Quantity::Residual), sum + output)
    }
}
