//! Layers whose matrix may stay as it is stored, in blocks of small integers.
//!
//! Such a matrix is also a parameter, which is unpacked when something else than a product asks for it.

use std::sync::Arc;

use burn::module::{Param, ParamId};
use burn::nn;
use burn::prelude::*;

use crate::kernels::{self, Blocks, linear_blocks, linear_transposed};

/// A matrix of a module, by the parameter that it is, and its blocks.
pub type Matrix<'a> = (ParamId, &'a mut Option<Arc<Blocks>>);

/// A module with matrices that may be in blocks.
pub trait InBlocks {
    /// Returns the matrices of all layers.
    fn matrices(&mut self) -> Vec<Matrix<'_>>;
}

/// `x·W + b`; the names of its parameters are those of burn's layer.
#[derive(Module, Debug)]
pub struct Linear {
    /// The matrix `W`, `[in, out]`.
    pub weight: Param<Tensor<2>>,
    /// The bias `b`, `[out]`.
    pub bias: Option<Param<Tensor<1>>>,
    /// The same matrix in blocks, `[out, in]`.
    #[module(skip)]
    blocks: Option<Arc<Blocks>>,
}

impl From<nn::Linear> for Linear {
    fn from(layer: nn::Linear) -> Self {
        Linear {
            weight: layer.weight,
            bias: layer.bias,
            blocks: None,
        }
    }
}

impl Linear {
    /// Returns the matrix as one that may be in blocks.
    pub fn matrix(&mut self) -> Matrix<'_> {
        (self.weight.id, &mut self.blocks)
    }

    /// Computes `x·W + b`, `[batch, length, in]` to `[batch, length, out]`.
    pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let Some(blocks) = &self.blocks else {
            return kernels::linear_by(x, &self.weight, self.bias.as_ref());
        };
        let [batch, length, _] = x.dims();
        let product = linear_blocks(x.flatten::<2>(0, 1), blocks);
        let result = match &self.bias {
            Some(bias) => product + bias.val().unsqueeze(),
            None => product,
        };
        result.reshape([batch as i32, length as i32, -1])
    }
}

/// A table of vectors, one for each token; the name of its parameter is that of burn's layer.
#[derive(Module, Debug)]
pub struct Embedding {
    /// The table, `[tokens, width]`.
    pub weight: Param<Tensor<2>>,
    /// The same table in blocks.
    #[module(skip)]
    blocks: Option<Arc<Blocks>>,
}

impl From<nn::Embedding> for Embedding {
    fn from(layer: nn::Embedding) -> Self {
        Embedding {
            weight: layer.weight,
            blocks: None,
        }
    }
}

impl Embedding {
    /// Returns the table as a matrix that may be in blocks.
    pub fn matrix(&mut self) -> Matrix<'_> {
        (self.weight.id, &mut self.blocks)
    }

    /// Returns the vectors of tokens, `[batch, length]` to `[batch, length, width]`.
    pub fn forward(&self, tokens: Tensor<2, Int>) -> Tensor<3> {
        let Some(blocks) = &self.blocks else {
            return burn::tensor::module::embedding(self.weight.val(), tokens);
        };
        let [batch, length] = tokens.dims();
        let vectors = blocks.select(tokens.flatten(0, 1));
        vectors.reshape([batch as i32, length as i32, -1])
    }

    /// Computes `x·Tᵀ`, `[rows, width]` to `[rows, tokens]`.
    pub fn logits(&self, x: Tensor<2>) -> Tensor<2> {
        match &self.blocks {
            Some(blocks) => linear_blocks(x, blocks),
            None => linear_transposed(x, self.weight.val()),
        }
    }
}
