//! The encoder–decoder Transformer of [T5](https://arxiv.org/abs/1910.10683), of the first version and of
//! [1.1](https://arxiv.org/abs/2002.05202), in the layout of Hugging Face's
//! [`T5ForConditionalGeneration`](https://huggingface.co/docs/transformers/model_doc/t5) checkpoints, and of
//! [mT5](https://arxiv.org/abs/2010.11934): pre-norm with RMSNorm, no biases but those of relative positions, scores that are not divided by `√d_k`.

use std::collections::BTreeSet;
use std::ops::Range;

use attention_trace::config::FeedForward;
pub use attention_trace::config::T5Config;
use attention_trace::{
    Block, ModelSpec, Nonlinearity, Parameter, Quantity, Stack, Sublayer, Weight,
};
use burn::nn::{
    Embedding, EmbeddingConfig, Initializer, Linear, LinearConfig, RmsNorm, RmsNormConfig,
};
use burn::prelude::*;

use crate::attention::{Mask, Scale, Scoring, attend, tap_heads};
use crate::decoding::Rules;
use crate::error::ModelError;
use crate::family::Family;
use crate::kernels::{linear, linear_transposed, rms_norm};
use crate::relative_bias::relative_bias;
use crate::sequence::{Control, LayerState, Memory, SequenceModel, Source, State};
use crate::sublayers::activate;
use crate::tap::Tap;
use crate::weights::{self, FileNames, Layout};

/// The `model_type`s of the checkpoints of T5 and mT5, and the function that loads them.
pub const FAMILY: Family = Family {
    model_types: &["t5", "mt5"],
    places_layers: false,
    load: |published, device| {
        let config: T5Config = published.config()?;
        published.check_vocabulary(config.vocab_size)?;
        let own = weights::own(published.weights, &LAYOUT)?;
        let config = with_head(config, own.contains(HEAD));
        let model = T5::new(&config, device)?.with_tables(&own, device);
        Ok(Box::new(weights::load(model, published.weights, &LAYOUT)?))
    },
};

/// Sets whether the output matrix is tied to the table: `transformers` ties them whatever the configuration says,
/// unless the file has another matrix. The configuration's switch decides whether the decoder's output is scaled.
fn with_head(published: T5Config, has_head: bool) -> T5Config {
    T5Config {
        scale_decoder_outputs: Some(published.scales_output()),
        tie_word_embeddings: !has_head,
        ..published
    }
}

/// The table that embeds source and target.
const TABLE: &str = "shared.weight";
/// The tables and the output matrix, if they are separate.
const ENCODER_TABLE: &str = "encoder.embed_tokens.weight";
const DECODER_TABLE: &str = "decoder.embed_tokens.weight";
const HEAD: &str = "lm_head.weight";

const LAYOUT: Layout = Layout {
    model: Some("T5ForConditionalGeneration"),
    tied: &[TABLE, ENCODER_TABLE, DECODER_TABLE, HEAD],
    names,
    // The first files have a table here that the original code made and never read.
    is_extra: |name| name.ends_with("EncDecAttention.relative_attention_bias.weight"),
    may_be_absent: |_| false,
    ..Layout::PATHS
};

/// Returns the names of a parameter in the checkpoint, which numbers a layer's parts and keeps a stack's bias table in
/// its first layer.
fn names(path: &str) -> Vec<String> {
    let (own, cross) = ("SelfAttention", "EncDecAttention");
    let last = if path.starts_with("encoder.") { 1 } else { 2 };
    let bias = "relative_attention_bias.";
    let name = path
        .replace(bias, &format!("block.0.layer.0.{own}.{bias}"))
        .replace(".own.layer_norm.", ".layer.0.layer_norm.")
        .replace(".own.", &format!(".layer.0.{own}."))
        .replace(".cross.layer_norm.", ".layer.1.layer_norm.")
        .replace(".cross.", &format!(".layer.1.{cross}."))
        .replace(".mlp.layer_norm.", &format!(".layer.{last}.layer_norm."))
        .replace(".mlp.", &format!(".layer.{last}.DenseReluDense."));
    // Where there is a gate, its matrix is numbered.
    let gate = name
        .contains(".wi.")
        .then(|| name.replace(".wi.", ".wi_0."));
    [name].into_iter().chain(gate).collect()
}

/// The whole model, from tokens to logits.
#[derive(Module, Debug)]
pub struct T5 {
    shared: Embedding,
    encoder: T5Stack,
    decoder: T5Stack,
    /// The output matrix, a row for each token, if it is separate from the embedding table.
    lm_head: Option<Embedding>,
    #[module(skip)]
    config: T5Config,
}

#[derive(Module, Debug)]
struct T5Stack {
    /// The table, if it is separate from the shared one.
    embed_tokens: Option<Embedding>,
    relative_attention_bias: Embedding,
    block: Vec<T5Layer>,
    final_layer_norm: RmsNorm,
}

#[derive(Module, Debug)]
struct T5Layer {
    own: T5Attention,
    cross: Option<T5Attention>,
    mlp: T5FeedForward,
}

#[derive(Module, Debug)]
struct T5Attention {
    layer_norm: RmsNorm,
    q: Linear,
    k: Linear,
    v: Linear,
    o: Linear,
    heads: usize,
}

#[derive(Module, Debug)]
struct T5FeedForward {
    layer_norm: RmsNorm,
    /// The layer whose output enters the non-linearity.
    wi: Linear,
    /// The layer whose output the gate multiplies.
    wi_1: Option<Linear>,
    wo: Linear,
    #[module(skip)]
    nonlinearity: Nonlinearity,
}

/// The parts of a new model, normally distributed around zero; matrices and biases preserve the scale of their inputs.
struct Parts<'a> {
    config: &'a T5Config,
    device: &'a Device,
}

impl Parts<'_> {
    /// Returns the initialiser of weights whose products are summed over `inputs` inputs.
    fn normal(&self, inputs: usize) -> Initializer {
        Initializer::Normal {
            mean: 0.0,
            std: self.config.initializer_factor * (inputs as f64).powf(-0.5),
        }
    }

    fn linear(&self, input: usize, output: usize) -> Linear {
        LinearConfig::new(input, output)
            .with_bias(false)
            .with_initializer(self.normal(input))
            .init(self.device)
    }

    fn norm(&self) -> RmsNorm {
        RmsNormConfig::new(self.config.d_model)
            .with_epsilon(self.config.layer_norm_epsilon)
            .init(self.device)
    }

    fn table(&self, rows: usize, width: usize, inputs: usize) -> Embedding {
        EmbeddingConfig::new(rows, width)
            .with_initializer(self.normal(inputs))
            .init(self.device)
    }

    fn attention(&self) -> T5Attention {
        let (width, heads) = (self.config.d_model, self.config.heads_width());
        T5Attention {
            layer_norm: self.norm(),
            q: self.linear(width, heads),
            k: self.linear(width, heads),
            v: self.linear(width, heads),
            o: self.linear(heads, width),
            heads: self.config.num_heads,
        }
    }

    fn feed_forward(&self) -> T5FeedForward {
        let (width, inner) = (self.config.d_model, self.config.d_ff);
        let FeedForward { gated, activation } = self.config.feed_forward_proj;
        T5FeedForward {
            layer_norm: self.norm(),
            wi: self.linear(width, inner),
            wi_1: gated.then(|| self.linear(width, inner)),
            wo: self.linear(inner, width),
            nonlinearity: activation,
        }
    }

    fn stack(&self, layers: usize, has_cross: bool) -> T5Stack {
        let T5Config {
            relative_attention_num_buckets: buckets,
            num_heads: heads,
            d_model: width,
            ..
        } = *self.config;
        let layer = |_| T5Layer {
            own: self.attention(),
            cross: has_cross.then(|| self.attention()),
            mlp: self.feed_forward(),
        };
        T5Stack {
            embed_tokens: None,
            relative_attention_bias: self.table(buckets, heads, width),
            block: (0..layers).map(layer).collect(),
            final_layer_norm: self.norm(),
        }
    }
}

impl T5 {
    /// Creates a new model with random weights.
    ///
    /// # Errors
    /// If the sizes do not fit each other.
    pub fn new(config: &T5Config, device: &Device) -> Result<Self, ModelError> {
        config.validate()?;
        let parts = Parts { config, device };
        let table = || parts.table(config.vocab_size, config.d_model, 1);
        Ok(T5 {
            shared: table(),
            encoder: parts.stack(config.num_layers, false),
            decoder: parts.stack(config.decoder_layers(), true),
            lm_head: (!config.tie_word_embeddings).then(table),
            config: config.clone(),
        })
    }

    /// Adds a separate table for each of the named stacks.
    fn with_tables(mut self, own: &BTreeSet<&str>, device: &Device) -> Self {
        let table = |name| {
            let T5Config {
                vocab_size,
                d_model,
                ..
            } = self.config;
            own.contains(name)
                .then(|| EmbeddingConfig::new(vocab_size, d_model).init(device))
        };
        let (encoder, decoder) = (table(ENCODER_TABLE), table(DECODER_TABLE));
        self.encoder.embed_tokens = encoder;
        self.decoder.embed_tokens = decoder;
        self
    }

    fn embed(&self, tokens: Tensor<2, Int>, stack: Stack, tap: &mut Tap) -> Tensor<3> {
        let own = match stack {
            Stack::Encoder => &self.encoder.embed_tokens,
            Stack::Decoder => &self.decoder.embed_tokens,
        };
        let x = own.as_ref().unwrap_or(&self.shared).forward(tokens);
        tap.at(Block::Stack(stack).at(Quantity::Embedding), x)
    }

    /// Computes the bias that the positions of a stack add to the scores of its self-attention,
    /// `[heads, queries, keys]`, the same in all layers.
    fn bias(
        &self,
        stack: Stack,
        queries: Range<usize>,
        keys: Range<usize>,
        tap: &Tap,
    ) -> Option<Tensor<3>> {
        let buckets = self.config.spec().buckets(stack)?;
        let table = match stack {
            Stack::Encoder => &self.encoder.relative_attention_bias,
            Stack::Decoder => &self.decoder.relative_attention_bias,
        };
        let table = table.weight.val();
        tap.knows_positions()
            .then(|| relative_bias(table, buckets, queries, keys))
    }
}

/// Returns T5's scoring, without scaling.
fn scoring(bias: Option<Tensor<3>>, mask: Option<Mask>) -> Scoring {
    Scoring {
        scale: Scale::None,
        cap: None,
        bias,
        mask,
    }
}

impl SequenceModel for T5 {
    fn spec(&self) -> ModelSpec {
        self.config.spec()
    }

    fn control(&self) -> Control {
        Control {
            start: self.config.decoder_start_token_id,
            padding: self.config.pad_token_id,
            rules: Rules {
                end_tokens: self.config.eos_token_id.as_slice().to_vec(),
                ..Rules::default()
            },
            ..Control::default()
        }
    }

    fn start(&self, source: Option<Source>, tap: &mut Tap) -> State {
        const STACK: Stack = Stack::Encoder;
        let memory = source.map(|source| {
            let [_, length] = source.tokens.dims();
            let mask = source.mask();
            tap.enter(STACK, 0);
            let mut x = self.embed(source.tokens, STACK, tap);
            let scoring = scoring(self.bias(STACK, 0..length, 0..length, tap), mask.clone());
            for (index, layer) in self.encoder.block.iter().enumerate() {
                let kept = &mut LayerState::default();
                x = layer.forward(x, None, &scoring, kept, tap, (STACK, index));
            }
            let states = rms_norm(x, &self.encoder.final_layer_norm);
            let states = tap.at(Block::Stack(STACK).at(Quantity::FinalNorm), states);
            Memory { states, mask }
        });
        State::new(memory, self.decoder.block.len())
    }

    fn advance(&self, tokens: Tensor<2, Int>, state: &mut State, tap: &mut Tap) -> Tensor<3> {
        const STACK: Stack = Stack::Decoder;
        let [_, new] = tokens.dims();
        let (start, end) = (state.position, state.position + new);
        tap.enter(STACK, start);
        // A single new position sees all there is.
        let mask = (new > 1 && tap.is_causal()).then_some(Mask::Causal);
        let mut x = self.embed(tokens, STACK, tap);
        let scoring = scoring(self.bias(STACK, start..end, 0..end, tap), mask);
        let memory = state.memory.as_ref();
        for (index, layer) in self.decoder.block.iter().enumerate() {
            let kept = &mut state.layers[index];
            x = layer.forward(x, memory, &scoring, kept, tap, (STACK, index));
        }
        state.position = end;
        let states = rms_norm(x, &self.decoder.final_layer_norm);
        tap.at(Block::Stack(STACK).at(Quantity::FinalNorm), states)
    }

    fn last_norm(&self, states: Tensor<2>) -> Tensor<2> {
        rms_norm(states.unsqueeze::<3>(), &self.decoder.final_layer_norm).squeeze_dim(0)
    }

    fn logits(&self, states: Tensor<2>) -> Tensor<2> {
        let table = self.lm_head.as_ref().unwrap_or(&self.shared);
        let states = match self.config.scales_output() {
            true => states.mul_scalar(self.config.spec().output_factor),
            false => states,
        };
        linear_transposed(states, table.weight.val())
    }

    fn parameter(&self, parameter: Parameter) -> Option<Tensor<2>> {
        let Parameter { block, weight } = parameter;
        let path = match (block, weight) {
            (_, Weight::WUnembed) if self.lm_head.is_some() => HEAD.to_owned(),
            (Block::Stack(Stack::Encoder), Weight::TokenTable)
                if self.encoder.embed_tokens.is_some() =>
            {
                ENCODER_TABLE.to_owned()
            }
            (_, Weight::TokenTable) if self.decoder.embed_tokens.is_some() => {
                DECODER_TABLE.to_owned()
            }
            (_, Weight::TokenTable | Weight::WUnembed) => TABLE.to_owned(),
            (Block::Stack(stack), Weight::BiasTable) => {
                format!("{stack}.relative_attention_bias.weight")
            }
            (Block::Stack(stack), Weight::NormGain) => format!("{stack}.final_layer_norm.weight"),
            (Block::Sublayer(stack, layer, sublayer), weight) => {
                let matrix = of_sublayer(sublayer, weight)?;
                let part = match sublayer {
                    Sublayer::SelfAttention => "own",
                    Sublayer::CrossAttention => "cross",
                    Sublayer::FeedForward => "mlp",
                };
                format!("{stack}.block.{layer}.{part}.{matrix}.weight")
            }
            _ => return None,
        };
        weights::parameter(self, &path)
    }

    fn weights(&self) -> usize {
        self.num_params()
    }

    fn file_names(&self) -> FileNames {
        FileNames::of(self, &LAYOUT)
    }
}

/// Returns the name of a parameter within a sub-layer.
fn of_sublayer(sublayer: Sublayer, weight: Weight) -> Option<&'static str> {
    let is_mlp = sublayer == Sublayer::FeedForward;
    Some(match weight {
        Weight::NormGain => "layer_norm",
        Weight::WIn if is_mlp => "wi",
        Weight::WLinear if is_mlp => "wi_1",
        Weight::WOut if is_mlp => "wo",
        Weight::WQ if !is_mlp => "q",
        Weight::WK if !is_mlp => "k",
        Weight::WV if !is_mlp => "v",
        Weight::WO if !is_mlp => "o",
        _ => return None,
    })
}

impl T5Layer {
    /// Maps `[batch, new, d_model]` to the same shape.
    fn forward(
        &self,
        x: Tensor<3>,
        memory: Option<&Memory>,
        scoring: &Scoring,
        LayerState { own, cross, .. }: &mut LayerState,
        tap: &mut Tap,
        (stack, layer): (Stack, usize),
    ) -> Tensor<3> {
        let block = |sublayer| Block::Sublayer(stack, layer, sublayer);
        let at = block(Sublayer::SelfAttention);
        let normed = self.own.norm(&x, tap, at);
        let query = self.own.query(normed.clone(), tap, at);
        let key_value = own.append(self.own.key_value(normed, tap, at));
        let output = self.own.forward(query, key_value, scoring.clone(), tap, at);
        let mut x = tap.at(at.at(Quantity::Residual), x + output);

        if let (Some(attention), Some(memory)) = (&self.cross, memory) {
            let at = block(Sublayer::CrossAttention);
            let normed = attention.norm(&x, tap, at);
            let query = attention.query(normed, tap, at);
            let make = || attention.key_value(memory.states.clone(), tap, at);
            let key_value = cross.get_or_insert_with(make);
            let scoring = self::scoring(None, memory.mask.clone());
            let output = attention.forward(query, key_value, scoring, tap, at);
            x = tap.at(at.at(Quantity::Residual), x + output);
        }

        let at = block(Sublayer::FeedForward);
        let output = self.mlp.forward(&x, tap, at);
        tap.at(at.at(Quantity::Residual), x + output)
    }
}

impl T5Attention {
    fn norm(&self, x: &Tensor<3>, tap: &mut Tap, block: Block) -> Tensor<3> {
        let normed = rms_norm(x.clone(), &self.layer_norm);
        tap.at(block.at(Quantity::Norm), normed)
    }

    /// Returns the number of heads, and the width of each.
    fn sizes(&self) -> (usize, usize) {
        let [_, width] = self.q.weight.dims();
        (self.heads, width / self.heads)
    }

    fn query(&self, x: Tensor<3>, tap: &mut Tap, block: Block) -> Tensor<3> {
        let (heads, d_k) = self.sizes();
        let query = linear(x, &self.q);
        tap_heads(tap, block.at(Quantity::Query), query, d_k, heads)
    }

    fn key_value(&self, x: Tensor<3>, tap: &mut Tap, block: Block) -> [Tensor<3>; 2] {
        let (heads, d_k) = self.sizes();
        let (key, value) = (linear(x.clone(), &self.k), linear(x, &self.v));
        [
            tap_heads(tap, block.at(Quantity::Key), key, d_k, heads),
            tap_heads(tap, block.at(Quantity::Value), value, d_k, heads),
        ]
    }

    /// Computes attention to the keys and values, projected back to the model's width.
    fn forward(
        &self,
        query: Tensor<3>,
        [key, value]: [Tensor<3>; 2],
        scoring: Scoring,
        tap: &mut Tap,
        block: Block,
    ) -> Tensor<3> {
        let z = attend([query, key, value], self.heads, scoring, tap, block);
        let output = tap.at(block.at(Quantity::Out), linear(z, &self.o));
        tap.dropout(output)
    }
}

impl T5FeedForward {
    /// `W_o φ(W_i x)`, or with a gate `W_o (φ(W_i x) ⊙ W_1 x)` (Shazeer 2020), `[batch, new, d_model]` to the same.
    fn forward(&self, x: &Tensor<3>, tap: &mut Tap, block: Block) -> Tensor<3> {
        let x = rms_norm(x.clone(), &self.layer_norm);
        let x = tap.at(block.at(Quantity::Norm), x);
        let pre = tap.at(block.at(Quantity::Pre), linear(x.clone(), &self.wi));
        let post = match &self.wi_1 {
            Some(wi_1) => {
                let gated = tap.at(block.at(Quantity::PreLinear), linear(x, wi_1));
                activate(self.nonlinearity, pre) * gated
            }
            None => activate(self.nonlinearity, pre),
        };
        let post = tap.at(block.at(Quantity::Post), post);
        let output = tap.at(block.at(Quantity::Out), linear(post, &self.wo));
        tap.dropout(output)
    }
}
