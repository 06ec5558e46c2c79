//! The block of every depth: self-attention, in the decoder also attention to the source, and a feed-forward network,
//! each followed by the residual connection and a normalisation.

use attention_trace::config::Activation;
use attention_trace::{Block, Quantity, Stack, Sublayer};
use burn::module::Param;
use burn::nn::{Initializer, LayerNorm, LayerNormConfig, Linear};
use burn::prelude::*;

use crate::attention::{Mask, attend, tap_heads};
use crate::kernels::linear;
use crate::sequence::{LayerState, Memory};
use crate::sublayers::{add_and_norm, feed_forward};
use crate::tap::Tap;

/// The ε of every layer normalisation: PyTorch's default.
const NORM_EPSILON: f64 = 1e-5;

/// The sizes of a block, and its non-linearity.
#[derive(Clone, Copy)]
pub struct Sizes {
    /// Width of the states.
    pub width: usize,
    /// Heads of each attention.
    pub heads: usize,
    /// Inner width of the feed-forward network.
    pub inner: usize,
    /// The non-linearity of the feed-forward network.
    pub activation: Activation,
}

impl Sizes {
    /// Draws random weights for a projection from `input` to `output`.
    pub fn matrix(&self, input: usize, output: usize, device: &Device) -> Param<Tensor<2>> {
        Initializer::XavierUniform { gain: 1.0 }.init_with(
            [input, output],
            Some(input),
            Some(output),
            device,
        )
    }

    /// Creates a new block; a decoder's attends to the source too.
    pub fn block(&self, attends_to_source: bool, device: &Device) -> UniversalBlock {
        UniversalBlock {
            self_attention: self.attention(device),
            cross_attention: attends_to_source.then(|| self.attention(device)),
            feed_forward: FeedForward {
                inner: self.linear(self.width, self.inner, device),
                outer: self.linear(self.inner, self.width, device),
                norm: self.norm(device),
            },
            activation: self.activation,
        }
    }

    fn linear(&self, input: usize, output: usize, device: &Device) -> Linear {
        Linear {
            weight: self.matrix(input, output, device),
            bias: Some(Initializer::Zeros.init([output], device)),
        }
    }

    fn norm(&self, device: &Device) -> LayerNorm {
        LayerNormConfig::new(self.width)
            .with_epsilon(NORM_EPSILON)
            .init(device)
    }

    fn attention(&self, device: &Device) -> Attention {
        let projection = || self.linear(self.width, self.width, device);
        Attention {
            query: projection(),
            key: projection(),
            value: projection(),
            out: projection(),
            norm: self.norm(device),
            heads: self.heads,
        }
    }
}

/// One block, of the encoder or of the decoder.
#[derive(Module, Debug)]
pub struct UniversalBlock {
    self_attention: Attention,
    cross_attention: Option<Attention>,
    feed_forward: FeedForward,
    #[module(skip)]
    activation: Activation,
}

#[derive(Module, Debug)]
struct FeedForward {
    inner: Linear,
    outer: Linear,
    norm: LayerNorm,
}

impl UniversalBlock {
    /// Computes a depth of the encoder, `[batch, source, width]` to the same.
    pub fn read(&self, x: Tensor<3>, mask: Option<Mask>, tap: &mut Tap, depth: usize) -> Tensor<3> {
        let at = Block::Sublayer(Stack::Encoder, depth, Sublayer::SelfAttention);
        let attention = &self.self_attention;
        let key_value = attention.key_value(x.clone());
        let key_value = attention.tap(key_value, tap, at);
        let x = attention.forward(x, key_value, mask, tap, at);
        self.feed_forward(x, Stack::Encoder, tap, depth)
    }

    /// Computes the decoder's attention to its own positions, `[batch, new, width]` to the same.
    pub fn look_back(
        &self,
        x: Tensor<3>,
        mask: Option<Mask>,
        kept: &mut LayerState,
        tap: &mut Tap,
        depth: usize,
    ) -> Tensor<3> {
        let at = Block::Sublayer(Stack::Decoder, depth, Sublayer::SelfAttention);
        let attention = &self.self_attention;
        let key_value = attention.key_value(x.clone());
        let key_value = kept.own.append(attention.tap(key_value, tap, at));
        attention.forward(x, key_value, mask, tap, at)
    }

    /// Computes the decoder's attention to the source, `[batch, new, width]` to the same. `source` keeps the keys and
    /// values that an earlier depth of the same pass computed.
    pub fn look_at_source(
        &self,
        x: Tensor<3>,
        memory: &Memory,
        source: &mut Option<[Tensor<3>; 2]>,
        kept: &mut LayerState,
        tap: &mut Tap,
        depth: usize,
    ) -> Tensor<3> {
        let Some(attention) = &self.cross_attention else {
            return x;
        };
        let at = Block::Sublayer(Stack::Decoder, depth, Sublayer::CrossAttention);
        let make = || {
            let made = source.get_or_insert_with(|| attention.key_value(memory.states.clone()));
            attention.tap(made.clone(), tap, at)
        };
        let key_value = kept.cross.get_or_insert_with(make);
        attention.forward(x, key_value, memory.mask.clone(), tap, at)
    }

    /// Computes the feed-forward network, `[batch, length, width]` to the same.
    pub fn feed_forward(
        &self,
        x: Tensor<3>,
        stack: Stack,
        tap: &mut Tap,
        depth: usize,
    ) -> Tensor<3> {
        let at = Block::Sublayer(stack, depth, Sublayer::FeedForward);
        let FeedForward { inner, outer, norm } = &self.feed_forward;
        let output = feed_forward(x.clone(), (inner, outer), self.activation.into(), tap, at);
        add_and_norm(x, output, (norm, NORM_EPSILON), tap, at)
    }
}

#[derive(Module, Debug)]
struct Attention {
    query: Linear,
    key: Linear,
    value: Linear,
    out: Linear,
    norm: LayerNorm,
    heads: usize,
}

impl Attention {
    /// Returns the number of heads, and the width of each.
    fn sizes(&self) -> (usize, usize) {
        let [_, width] = self.query.weight.dims();
        (self.heads, width / self.heads)
    }

    /// Keys and values of `x`, `[batch, m, width]` each.
    fn key_value(&self, x: Tensor<3>) -> [Tensor<3>; 2] {
        [linear(x.clone(), &self.key), linear(x, &self.value)]
    }

    /// Records and edits the keys and values of one depth.
    fn tap(&self, [key, value]: [Tensor<3>; 2], tap: &mut Tap, at: Block) -> [Tensor<3>; 2] {
        let (heads, d_k) = self.sizes();
        [
            tap_heads(tap, at.at(Quantity::Key), key, d_k, heads),
            tap_heads(tap, at.at(Quantity::Value), value, d_k, heads),
        ]
    }

    /// Computes attention, projects it back to the width, adds `x` and normalises.
    fn forward(
        &self,
        x: Tensor<3>,
        [key, value]: [Tensor<3>; 2],
        mask: Option<Mask>,
        tap: &mut Tap,
        at: Block,
    ) -> Tensor<3> {
        let (heads, d_k) = self.sizes();
        let query = linear(x.clone(), &self.query);
        let query = tap_heads(tap, at.at(Quantity::Query), query, d_k, heads);
        let z = attend([query, key, value], heads, mask, tap, at);
        let output = tap.at(at.at(Quantity::Out), linear(z, &self.out));
        let output = tap.dropout(output);
        add_and_norm(x, output, (&self.norm, NORM_EPSILON), tap, at)
    }
}
