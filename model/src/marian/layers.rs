//! The layers of both stacks: attention, a feed-forward network, and their normalisations.

use attention_trace::{Block, NormPlacement, Quantity, Stack, Sublayer};
use burn::nn::{Initializer, LayerNorm, LayerNormConfig, Linear, LinearConfig};
use burn::prelude::*;

use super::{Activation, MarianConfig, NORM_EPSILON};
use crate::attention::{Mask, attend, tap_heads};
use crate::kernels::linear;
use crate::sequence::{LayerState, Memory};
use crate::sublayers::{SublayerNorm, feed_forward};
use crate::tap::Tap;

/// The sizes of the layers of a stack.
#[derive(Clone, Copy)]
pub(super) struct LayerSizes {
    d_model: usize,
    heads: usize,
    ffn: usize,
    facts: LayerFacts,
}

/// The facts of a layer that its parameters do not give.
#[derive(Clone, Copy, Debug)]
struct LayerFacts {
    activation: Activation,
    placement: NormPlacement,
}

impl LayerFacts {
    fn norm<'a>(&self, norm: &'a LayerNorm) -> SublayerNorm<'a> {
        SublayerNorm {
            norm,
            epsilon: NORM_EPSILON,
            is_on_input: self.placement.is_on_input(),
        }
    }
}

impl LayerSizes {
    pub(super) fn of(config: &MarianConfig, stack: Stack) -> Self {
        let (heads, ffn) = match stack {
            Stack::Encoder => (config.encoder_attention_heads, config.encoder_ffn_dim),
            Stack::Decoder => (config.decoder_attention_heads, config.decoder_ffn_dim),
        };
        LayerSizes {
            d_model: config.d_model,
            heads,
            ffn,
            facts: LayerFacts {
                activation: config.activation_function,
                placement: config.norm_placement(),
            },
        }
    }

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

    pub(super) fn norm(&self, device: &Device) -> LayerNorm {
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

    pub(super) fn encoder(&self, device: &Device) -> MarianEncoderLayer {
        let (fc1, fc2) = self.feed_forward(device);
        MarianEncoderLayer {
            self_attn: self.attention(device),
            self_attn_layer_norm: self.norm(device),
            fc1,
            fc2,
            final_layer_norm: self.norm(device),
            facts: self.facts,
        }
    }

    pub(super) fn decoder(&self, device: &Device) -> MarianDecoderLayer {
        let (fc1, fc2) = self.feed_forward(device);
        MarianDecoderLayer {
            self_attn: self.attention(device),
            self_attn_layer_norm: self.norm(device),
            encoder_attn: self.attention(device),
            encoder_attn_layer_norm: self.norm(device),
            fc1,
            fc2,
            final_layer_norm: self.norm(device),
            facts: self.facts,
        }
    }
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
pub(super) struct MarianEncoderLayer {
    self_attn: MarianAttention,
    self_attn_layer_norm: LayerNorm,
    fc1: Linear,
    fc2: Linear,
    final_layer_norm: LayerNorm,
    #[module(skip)]
    facts: LayerFacts,
}

impl MarianEncoderLayer {
    /// Maps `[batch, source, d_model]` to the same shape.
    pub(super) fn forward(
        &self,
        x: Tensor<3>,
        mask: Option<Mask>,
        tap: &mut Tap,
        layer: usize,
    ) -> Tensor<3> {
        let at = |sublayer| Block::Sublayer(Stack::Encoder, layer, sublayer);
        let own = at(Sublayer::SelfAttention);
        let norm = self.facts.norm(&self.self_attn_layer_norm);
        let x = norm.around(x, tap, own, |x, tap| {
            let query = self.self_attn.query(x.clone(), tap, own);
            let key_value = self.self_attn.key_value(x, tap, own);
            self.self_attn.forward(query, key_value, mask, tap, own)
        });

        let mlp = at(Sublayer::FeedForward);
        let norm = self.facts.norm(&self.final_layer_norm);
        norm.around(x, tap, mlp, |x, tap| {
            let layers = (&self.fc1, &self.fc2);
            feed_forward(x, layers, self.facts.activation.into(), tap, mlp)
        })
    }
}

#[derive(Module, Debug)]
pub(super) struct MarianDecoderLayer {
    self_attn: MarianAttention,
    self_attn_layer_norm: LayerNorm,
    encoder_attn: MarianAttention,
    encoder_attn_layer_norm: LayerNorm,
    fc1: Linear,
    fc2: Linear,
    final_layer_norm: LayerNorm,
    #[module(skip)]
    facts: LayerFacts,
}

impl MarianDecoderLayer {
    /// Maps `[batch, new, d_model]` to the same shape.
    pub(super) fn forward(
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
        let norm = self.facts.norm(&self.self_attn_layer_norm);
        let mut x = norm.around(x, tap, at, |x, tap| {
            let query = self.self_attn.query(x.clone(), tap, at);
            let key_value = own.append(self.self_attn.key_value(x, tap, at));
            self.self_attn.forward(query, key_value, mask, tap, at)
        });

        if let Some(memory) = memory {
            let at = block(Sublayer::CrossAttention);
            let attention = &self.encoder_attn;
            let norm = self.facts.norm(&self.encoder_attn_layer_norm);
            x = norm.around(x, tap, at, |x, tap| {
                let query = attention.query(x, tap, at);
                let make = || attention.key_value(memory.states.clone(), tap, at);
                let key_value = cross.get_or_insert_with(make);
                attention.forward(query, key_value, memory.mask.clone(), tap, at)
            });
        }

        let at = block(Sublayer::FeedForward);
        let norm = self.facts.norm(&self.final_layer_norm);
        norm.around(x, tap, at, |x, tap| {
            let layers = (&self.fc1, &self.fc2);
            feed_forward(x, layers, self.facts.activation.into(), tap, at)
        })
    }
}
