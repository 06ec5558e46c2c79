//! The decoder-only Transformer of [GPT-2](https://openai.com/research/better-language-models) (Radford et al. 2019) in
//! the layout of Hugging Face's [`GPT2LMHeadModel`](https://huggingface.co/docs/transformers/model_doc/gpt2)
//! checkpoints: pre-norm with LayerNorm, learned positions, biases in all layers, and one matrix that computes queries,
//! keys and values.
//!
//! Field names are the checkpoint's, so a parameter's path here is its name there; the first published files leave
//! out `transformer.`.

pub use attention_trace::config::Gpt2Config;
use attention_trace::{
    Block, ModelSpec, Nonlinearity, Parameter, Quantity, Stack, Sublayer, Weight,
};
use burn::nn::{
    Embedding, EmbeddingConfig, Initializer, LayerNorm, LayerNormConfig, Linear, LinearConfig,
};
use burn::prelude::*;
#[cfg(feature = "train")]
use serde_json::{Value, json};

use crate::attention::{KeyValueCache, Mask, Scale, Scoring, attend, tap_heads};
use crate::decoding::Rules;
use crate::error::ModelError;
use crate::family::Family;
use crate::kernels::{layer_norm, linear, linear_transposed};
use crate::sequence::{Control, SequenceModel, Source, State};
use crate::sublayers::feed_forward;
use crate::tap::Tap;
use crate::weights::{self, FileNames, Layout};
#[cfg(feature = "train")]
use crate::{
    family::merge,
    weights::{Precision, Saved},
};

/// The `model_type` of GPT-2's checkpoints and the function that loads them.
pub const FAMILY: Family = Family {
    model_types: &["gpt2"],
    places_layers: false,
    load: |published, device| {
        let config: Gpt2Config = published.config()?;
        published.check_vocabulary(config.vocab_size)?;
        let own = weights::own(published.weights, &LAYOUT)?;
        let config = Gpt2Config {
            tie_word_embeddings: config.tie_word_embeddings && !own.contains(HEAD),
            ..config
        };
        let model = Gpt2::new(&config, device)?;
        Ok(Box::new(weights::load(model, published.weights, &LAYOUT)?))
    },
};

/// The embedding table, and the output matrix if the two are separate.
const TABLE: &str = "transformer.wte.weight";
const HEAD: &str = "lm_head.weight";

/// The linear layers are `Conv1D`s of `transformers`; the causal mask is in some files.
pub(crate) const LAYOUT: Layout = Layout {
    model: Some("GPT2LMHeadModel"),
    base: "transformer.",
    tied: &[TABLE, HEAD],
    is_extra: |name| name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias"),
    may_be_absent: |_| false,
    rows_are_inputs: true,
    ..Layout::PATHS
};

/// The whole model, from tokens to logits.
#[derive(Module, Debug)]
pub struct Gpt2 {
    transformer: Gpt2Transformer,
    /// The output matrix, a row for each token, if it is separate from the embedding table.
    lm_head: Option<Embedding>,
    #[module(skip)]
    config: Gpt2Config,
}

#[derive(Module, Debug)]
struct Gpt2Transformer {
    wte: Embedding,
    wpe: Embedding,
    h: Vec<Gpt2Layer>,
    ln_f: LayerNorm,
}

impl Gpt2 {
    /// Creates a new model with random weights, normally distributed around zero.
    ///
    /// # Errors
    /// If the sizes do not fit each other.
    pub fn new(config: &Gpt2Config, device: &Device) -> Result<Self, ModelError> {
        config.validate()?;
        let width = config.n_embd;
        let normal = Initializer::Normal {
            mean: 0.0,
            std: config.initializer_range,
        };
        let linear = |input, output| {
            LinearConfig::new(input, output)
                .with_initializer(normal.clone())
                .init(device)
        };
        let norm = || {
            LayerNormConfig::new(width)
                .with_epsilon(config.layer_norm_epsilon)
                .init(device)
        };
        let table = |rows| {
            EmbeddingConfig::new(rows, width)
                .with_initializer(normal.clone())
                .init(device)
        };
        let layer = |index| Gpt2Layer {
            ln_1: norm(),
            attn: Gpt2Attention {
                c_attn: linear(width, 3 * width),
                c_proj: linear(width, width),
                heads: config.n_head,
                scale: scale(config, index),
            },
            ln_2: norm(),
            mlp: Gpt2Mlp {
                c_fc: linear(width, config.inner()),
                c_proj: linear(config.inner(), width),
                nonlinearity: config.activation_function,
            },
            epsilon: config.layer_norm_epsilon,
        };
        Ok(Gpt2 {
            transformer: Gpt2Transformer {
                wte: table(config.vocab_size),
                wpe: table(config.n_positions),
                h: (0..config.n_layer).map(layer).collect(),
                ln_f: norm(),
            },
            lm_head: (!config.tie_word_embeddings).then(|| table(config.vocab_size)),
            config: config.clone(),
        })
    }

    /// Computes the embeddings of tokens from position `start` on, positions added, `[batch, new, n_embd]`.
    fn embed(&self, tokens: Tensor<2, Int>, start: usize, tap: &mut Tap) -> Tensor<3> {
        const STACK: Block = Block::Stack(Stack::Decoder);
        let [_, new] = tokens.dims();
        let x = self.transformer.wte.forward(tokens);
        let x = tap.at(STACK.at(Quantity::TokenEmbedding), x);
        let x = if tap.knows_positions() {
            let positions = self.transformer.wpe.weight.val();
            x + positions.narrow(0, start, new).unsqueeze::<3>()
        } else {
            x
        };
        tap.at(STACK.at(Quantity::Embedding), x)
    }
}

impl SequenceModel for Gpt2 {
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
        State::new(None, self.config.n_layer)
    }

    fn advance(&self, tokens: Tensor<2, Int>, state: &mut State, tap: &mut Tap) -> Tensor<3> {
        let [_, new] = tokens.dims();
        tap.enter(Stack::Decoder, state.position);
        // A single new position sees all there is.
        let mask = (new > 1 && tap.is_causal()).then_some(Mask::Causal);
        let mut x = self.embed(tokens, state.position, tap);
        for (index, layer) in self.transformer.h.iter().enumerate() {
            let kept = &mut state.layers[index].own;
            x = layer.forward(x, mask.clone(), kept, tap, index);
        }
        state.position += new;
        let x = layer_norm(x, &self.transformer.ln_f, self.config.layer_norm_epsilon);
        let last = Block::Stack(Stack::Decoder).at(Quantity::FinalNorm);
        tap.at(last, x)
    }

    fn last_norm(&self, states: Tensor<2>) -> Tensor<2> {
        let norm = &self.transformer.ln_f;
        layer_norm(
            states.unsqueeze::<3>(),
            norm,
            self.config.layer_norm_epsilon,
        )
        .squeeze_dim(0)
    }

    fn logits(&self, states: Tensor<2>) -> Tensor<2> {
        let table = self.lm_head.as_ref().unwrap_or(&self.transformer.wte);
        linear_transposed(states, table.weight.val())
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
        let path = |name: &str| format!("transformer.h.{layer}.{name}");
        match (sublayer, fused(weight)) {
            (Sublayer::SelfAttention, Some((name, part))) => {
                let fused = weights::parameter(self, &path(name))?;
                Some(third(fused, part))
            }
            _ => weights::parameter(self, &path(of_layer(sublayer, weight)?)),
        }
    }

    #[cfg(feature = "train")]
    fn published(&self, precision: Precision) -> Result<(Value, Vec<u8>), ModelError> {
        let saved = Saved {
            rows_are_inputs: true,
            ..Saved::default()
        };
        let weights = weights::save_weights_as(self, precision, saved)?;
        let more = json!({
            "model_type": "gpt2",
            "architectures": ["GPT2LMHeadModel"],
            "n_ctx": self.config.n_positions,
            "attn_pdrop": 0.0,
            "embd_pdrop": 0.0,
            "resid_pdrop": 0.0,
            "dtype": precision.name(),
        });
        Ok((merge(serde_json::to_value(&self.config)?, more), weights))
    }

    fn weights(&self) -> usize {
        self.num_params()
    }

    fn file_names(&self) -> FileNames {
        FileNames::of(self, &LAYOUT)
    }
}

/// Returns the fused parameter that contains a projection's, and the index of its third.
fn fused(weight: Weight) -> Option<(&'static str, usize)> {
    let (matrix, bias) = ("attn.c_attn.weight", "attn.c_attn.bias");
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

/// Returns a third of the rows of a matrix, or of a vector given as a matrix of one row.
fn third(fused: Tensor<2>, part: usize) -> Tensor<2> {
    let [rows, columns] = fused.dims();
    let (axis, outputs) = if rows == 1 { (1, columns) } else { (0, rows) };
    fused.narrow(axis, part * outputs / 3, outputs / 3)
}

/// Returns the name of a parameter within a layer.
fn of_layer(sublayer: Sublayer, weight: Weight) -> Option<&'static str> {
    Some(match (sublayer, weight) {
        (Sublayer::SelfAttention, Weight::NormGain) => "ln_1.weight",
        (Sublayer::SelfAttention, Weight::NormBias) => "ln_1.bias",
        (Sublayer::SelfAttention, Weight::WO) => "attn.c_proj.weight",
        (Sublayer::SelfAttention, Weight::BO) => "attn.c_proj.bias",
        (Sublayer::FeedForward, Weight::NormGain) => "ln_2.weight",
        (Sublayer::FeedForward, Weight::NormBias) => "ln_2.bias",
        (Sublayer::FeedForward, Weight::WIn) => "mlp.c_fc.weight",
        (Sublayer::FeedForward, Weight::BIn) => "mlp.c_fc.bias",
        (Sublayer::FeedForward, Weight::WOut) => "mlp.c_proj.weight",
        (Sublayer::FeedForward, Weight::BOut) => "mlp.c_proj.bias",
        _ => return None,
    })
}

impl Gpt2 {
    /// Returns the name of a parameter that is outside all layers.
    fn table(&self, weight: Weight) -> Option<&'static str> {
        Some(match weight {
            Weight::WUnembed if self.lm_head.is_some() => HEAD,
            Weight::TokenTable | Weight::WUnembed => TABLE,
            Weight::PositionTable => "transformer.wpe.weight",
            Weight::NormGain => "transformer.ln_f.weight",
            Weight::NormBias => "transformer.ln_f.bias",
            _ => return None,
        })
    }
}

/// Returns the scaling of a layer's scores.
fn scale(config: &Gpt2Config, layer: usize) -> Scale {
    match (
        config.scales_scores(),
        config.scale_attn_by_inverse_layer_idx,
    ) {
        (false, _) => Scale::None,
        (true, false) => Scale::Root,
        (true, true) => Scale::By(config.score_divisor(layer)),
    }
}

#[derive(Module, Debug)]
struct Gpt2Attention {
    c_attn: Linear,
    c_proj: Linear,
    heads: usize,
    #[module(skip)]
    scale: Scale,
}

impl Gpt2Attention {
    /// Maps `[batch, new, n_embd]` to the same shape.
    fn forward(
        &self,
        x: Tensor<3>,
        mask: Option<Mask>,
        cache: &mut KeyValueCache,
        tap: &mut Tap,
        block: Block,
    ) -> Tensor<3> {
        let [_, _, width] = x.dims();
        let (heads, d_k) = (self.heads, width / self.heads);
        let fused = linear(x, &self.c_attn);
        let mut part = |quantity, index| {
            let x = fused.clone().narrow(2, index * width, width);
            tap_heads(tap, block.at(quantity), x, d_k, heads)
        };
        let query = part(Quantity::Query, 0);
        let key = part(Quantity::Key, 1);
        let value = part(Quantity::Value, 2);
        let [key, value] = cache.append([key, value]);
        let scoring = Scoring {
            scale: self.scale,
            ..mask.into()
        };
        let z = attend([query, key, value], heads, scoring, tap, block);
        let output = tap.at(block.at(Quantity::Out), linear(z, &self.c_proj));
        tap.dropout(output)
    }
}

#[derive(Module, Debug)]
struct Gpt2Mlp {
    c_fc: Linear,
    c_proj: Linear,
    #[module(skip)]
    nonlinearity: Nonlinearity,
}

#[derive(Module, Debug)]
struct Gpt2Layer {
    ln_1: LayerNorm,
    attn: Gpt2Attention,
    ln_2: LayerNorm,
    mlp: Gpt2Mlp,
    #[module(skip)]
    epsilon: f64,
}

impl Gpt2Layer {
    /// Maps `[batch, new, n_embd]` to the same shape.
    fn forward(
        &self,
        x: Tensor<3>,
        mask: Option<Mask>,
        cache: &mut KeyValueCache,
        tap: &mut Tap,
        layer: usize,
    ) -> Tensor<3> {
        let block = |sublayer| Block::Sublayer(Stack::Decoder, layer, sublayer);
        let own = block(Sublayer::SelfAttention);
        let normed = layer_norm(x.clone(), &self.ln_1, self.epsilon);
        let normed = tap.at(own.at(Quantity::Norm), normed);
        let output = self.attn.forward(normed, mask, cache, tap, own);
        let x = tap.at(own.at(Quantity::Residual), x + output);

        let mlp = block(Sublayer::FeedForward);
        let normed = layer_norm(x.clone(), &self.ln_2, self.epsilon);
        let normed = tap.at(mlp.at(Quantity::Norm), normed);
        let Gpt2Mlp {
            c_fc,
            c_proj,
            nonlinearity,
        } = &self.mlp;
        let output = feed_forward(normed, (c_fc, c_proj), *nonlinearity, tap, mlp);
        tap.at(mlp.at(Quantity::Residual), x + output)
    }
}
