//! Sub-layers that several families share.

use attention_trace::{Block, Nonlinearity, Quantity};
use burn::nn::LayerNorm;
use burn::prelude::*;
use burn::tensor::activation::{gelu_approximate, relu, silu};

use crate::kernels::{gelu, layer_norm};
use crate::layers::Affine;
use crate::tap::Tap;

/// Applies a non-linearity element by element.
pub fn activate<const D: usize>(nonlinearity: Nonlinearity, x: Tensor<D>) -> Tensor<D> {
    match nonlinearity {
        Nonlinearity::Relu => relu(x),
        Nonlinearity::Gelu => gelu(x),
        Nonlinearity::GeluNew => gelu_approximate(x),
        Nonlinearity::Silu => silu(x),
    }
}

/// Computes the position-wise feed-forward network ("Attention Is All You Need", equation 2), `[batch, length, width]`
/// to the same.
pub fn feed_forward(
    x: Tensor<3>,
    (inner, outer): (&impl Affine, &impl Affine),
    nonlinearity: Nonlinearity,
    tap: &mut Tap,
    block: Block,
) -> Tensor<3> {
    let pre = tap.at(block.at(Quantity::Pre), inner.affine(x));
    let post = tap.at(block.at(Quantity::Post), activate(nonlinearity, pre));
    let output = tap.at(block.at(Quantity::Out), outer.affine(post));
    tap.dropout(output)
}

/// Computes post-norm, `LayerNorm(x + sublayer)`, with the norm's ε given.
pub fn add_and_norm(
    x: Tensor<3>,
    output: Tensor<3>,
    (norm, epsilon): (&LayerNorm, f64),
    tap: &mut Tap,
    block: Block,
) -> Tensor<3> {
    let sum = tap.at(block.at(Quantity::Residual), x + output);
    tap.at(block.at(Quantity::Norm), layer_norm(sum, norm, epsilon))
}

/// The normalisation of a sub-layer.
#[derive(Clone, Copy)]
pub struct SublayerNorm<'a> {
    /// The gain and the bias.
    pub norm: &'a LayerNorm,
    /// The ε that keeps the norm's divisor from zero.
    pub epsilon: f64,
    /// True for the sub-layer's input (pre-norm), false for the sum of its output and the residual stream (post-norm).
    pub is_on_input: bool,
}

impl SublayerNorm<'_> {
    /// Adds the output of a sub-layer to the residual stream `x`, `[batch, length, width]` to the same.
    pub fn around(
        self,
        x: Tensor<3>,
        tap: &mut Tap,
        block: Block,
        sublayer: impl FnOnce(Tensor<3>, &mut Tap) -> Tensor<3>,
    ) -> Tensor<3> {
        let SublayerNorm { norm, epsilon, .. } = self;
        if !self.is_on_input {
            let output = sublayer(x.clone(), tap);
            return add_and_norm(x, output, (norm, epsilon), tap, block);
        }
        let input = layer_norm(x.clone(), norm, epsilon);
        let input = tap.at(block.at(Quantity::Norm), input);
        let output = sublayer(input, tap);
        tap.at(block.at(Quantity::Residual), x + output)
    }
}

/// Counts the tokens of each row from 1, padding left out, which has 0, `[batch, length]` to the same.
pub fn places_without(tokens: Tensor<2, Int>, padding: u32) -> Tensor<2, Int> {
    let counts = tokens.not_equal_elem(padding).int();
    counts.clone().cumsum(1) * counts
}
