//! Layers whose matrix may stay as it is stored, in blocks of small integers or in floats of 16 bits.
//!
//! Such a matrix is also a parameter, which is widened when something else than a product asks for it.

use std::sync::Arc;

use burn::module::{Param, ParamId};
use burn::nn;
use burn::prelude::*;

use crate::kernels::{self, Compact, linear_compact, linear_transposed};

/// A matrix of a module, by the parameter that it is, and its form as stored.
pub type Matrix<'a> = (ParamId, &'a mut Option<Arc<Compact>>);

/// A module with matrices that may stay as they are stored.
pub trait AsStored {
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
    /// The same matrix as it is stored, `[out, in]`.
    #[module(skip)]
    stored: Option<Arc<Compact>>,
}

impl From<nn::Linear> for Linear {
    fn from(layer: nn::Linear) -> Self {
        Linear {
            weight: layer.weight,
            bias: layer.bias,
            stored: None,
        }
    }
}

/// A layer that computes `x·W + b`, `[batch, length, in]` to `[batch, length, out]`.
pub trait Affine {
    /// Computes the layer's output.
    fn affine(&self, x: Tensor<3>) -> Tensor<3>;
}

impl Affine for nn::Linear {
    fn affine(&self, x: Tensor<3>) -> Tensor<3> {
        kernels::linear(x, self)
    }
}

impl Affine for Linear {
    fn affine(&self, x: Tensor<3>) -> Tensor<3> {
        self.forward(x)
    }
}

impl Linear {
    /// Returns the matrix as one that may stay as it is stored.
    pub fn matrix(&mut self) -> Matrix<'_> {
        (self.weight.id, &mut self.stored)
    }

    /// Computes `x·W + b`, `[batch, length, in]` to `[batch, length, out]`.
    pub fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let Some(stored) = &self.stored else {
            return kernels::linear_by(x, &self.weight, self.bias.as_ref());
        };
        let [batch, length, _] = x.dims();
        let product = linear_compact(x.flatten::<2>(0, 1), stored);
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
    /// The same table as it is stored.
    #[module(skip)]
    stored: Option<Arc<Compact>>,
}

impl From<nn::Embedding> for Embedding {
    fn from(layer: nn::Embedding) -> Self {
        Embedding {
            weight: layer.weight,
            stored: None,
        }
    }
}

impl Embedding {
    /// Returns the table as a matrix that may stay as it is stored.
    pub fn matrix(&mut self) -> Matrix<'_> {
        (self.weight.id, &mut self.stored)
    }

    /// Returns the vectors of tokens, `[batch, length]` to `[batch, length, width]`.
    pub fn forward(&self, tokens: Tensor<2, Int>) -> Tensor<3> {
        let Some(stored) = &self.stored else {
            return burn::tensor::module::embedding(self.weight.val(), tokens);
        };
        let [batch, length] = tokens.dims();
        let vectors = stored.select(tokens.flatten(0, 1));
        vectors.reshape([batch as i32, length as i32, -1])
    }

    /// Computes `x·Tᵀ`, `[rows, width]` to `[rows, tokens]`.
    pub fn logits(&self, x: Tensor<2>) -> Tensor<2> {
        match &self.stored {
            Some(stored) => linear_compact(x, stored),
            None => linear_transposed(x, self.weight.val()),
        }
    }
}
