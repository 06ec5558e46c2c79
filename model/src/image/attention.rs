//! Self-attention over the positions of a picture, as in SAGAN ([Zhang et al. 2018](https://arxiv.org/abs/1805.08318)).

use burn::module::Param;
use burn::nn::Initializer;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::prelude::*;
use burn::tensor::activation::softmax;

/// `f`, `g` and `h` are convolutions of one cell; what is read is added to the input, multiplied by `γ`, which begins
/// at 0, so that the model learns first from what is near.
#[derive(Module, Debug)]
pub struct ImageAttention {
    /// Makes what a position is found by, the key.
    f: Conv2d,
    /// Makes what a position looks for, the query.
    g: Conv2d,
    /// Makes what is read of a position, the value.
    h: Conv2d,
    /// `γ`, `[1]`. Not named so: checkpoints of norms call their weights that, and names are turned on reading.
    scale: Param<Tensor<1>>,
}

/// What attention makes of a feature map.
pub struct Attended {
    /// The softmax of `f(xᵢ)·g(xⱼ)` over `i`, `[batch, positions, positions]`, a row for each `j`.
    pub weights: Tensor<3>,
    /// `γ·o`, `[batch, channels, height, width]`.
    pub added: Tensor<4>,
}

impl ImageAttention {
    /// New weights, of `channels` features whose queries and keys have `width`.
    pub fn new(channels: usize, width: usize, device: &Device) -> Self {
        let layer = |output: usize| Conv2dConfig::new([channels, output], [1, 1]).init(device);
        ImageAttention {
            f: layer(width),
            g: layer(width),
            h: layer(channels),
            scale: Initializer::Zeros.init([1], device),
        }
    }

    /// `γ`.
    pub fn gamma(&self) -> Tensor<1> {
        self.scale.val()
    }

    /// Every position looks at all of them.
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
