//! Self-attention over the positions of a picture, as in SAGAN ([Zhang et al. 2018](https://arxiv.org/abs/1805.08318)).

use burn::module::Param;
use burn::nn::Initializer;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::prelude::*;
use burn::tensor::activation::softmax;

/// Self-attention whose `f`, `g` and `h` are 1×1 convolutions; its output is added to the input, multiplied by `γ`,
/// which starts at 0, so that the model first learns from nearby cells.
#[derive(Module, Debug)]
pub struct ImageAttention {
    /// Computes the keys of the positions.
    f: Conv2d,
    /// Computes the queries of the positions.
    g: Conv2d,
    /// Computes the values of the positions.
    h: Conv2d,
    /// The scale `γ`, `[1]`. It is not named `gamma`: checkpoints of norms use that name for their weights, and loading
    /// renames it.
    scale: Param<Tensor<1>>,
}

/// The output of attention for a feature map.
pub struct Attended {
    /// The softmax of `f(xᵢ)·g(xⱼ)` over `i`, `[batch, positions, positions]`, a row for each `j`.
    pub weights: Tensor<3>,
    /// `γ·o`, `[batch, channels, height, width]`.
    pub added: Tensor<4>,
}

impl ImageAttention {
    /// Creates new weights for `channels` features, with queries and keys of `width`.
    pub fn new(channels: usize, width: usize, device: &Device) -> Self {
        let layer = |output: usize| Conv2dConfig::new([channels, output], [1, 1]).init(device);
        ImageAttention {
            f: layer(width),
            g: layer(width),
            h: layer(channels),
            scale: Initializer::Zeros.init([1], device),
        }
    }

    /// Returns the scale `γ`, `[1]`.
    pub fn gamma(&self) -> Tensor<1> {
        self.scale.val()
    }

    /// Computes attention from every position to all positions.
    ///
    /// # Shapes
    /// - x: `[batch, channels, height, width]`
    pub fn forward(&self, x: Tensor<4>) -> Attended {
        let dims = x.dims();
        // [batch, features, positions]
        let keys: Tensor<3> = self.f.forward(x.clone()).flatten(2, 3);
        let queries: Tensor<3> = self.g.forward(x.clone()).flatten(2, 3);
        let values: Tensor<3> = self.h.forward(x).flatten(2, 3);
        // SAGAN does not divide the scores by √d.
        let weights = softmax(queries.swap_dims(1, 2).matmul(keys), 2);
        let read = values.matmul(weights.clone().swap_dims(1, 2));
        let added = read.reshape(dims) * self.gamma().reshape([1, 1, 1, 1]);
        Attended { weights, added }
    }
}
