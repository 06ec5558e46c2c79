//! Sub-layers that several families share.

use attention_trace::config::Nonlinearity;
use attention_trace::{Block, Quantity};
use burn::nn::{LayerNorm, Linear};
use burn::prelude::*;
use burn::tensor::activation::{gelu_approximate, relu, silu};

use crate::kernels::{gelu, layer_norm, linear};
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
    (inner, outer): (&Linear, &Linear),
    nonlinearity: Nonlinearity,
    tap: &mut Tap,
    block: Block,
) -> Tensor<3> {
    let pre = tap.at(block.at(Quantity::Pre), linear(x, inner));
    let post = tap.at(block.at(Quantity::Post), activate(nonlinearity, pre));
    let output = tap.at(block.at(Quantity::Out), linear(post, outer));
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
