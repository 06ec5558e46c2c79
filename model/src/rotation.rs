//! The rotation of queries and keys by their positions (RoPE, Su et al. 2021).

use std::ops::Range;

use attention_trace::config::Rope;
use attention_trace::positions::rotations_at;
use burn::prelude::*;

use crate::kernels::rotate;

/// Cosines and sines of RoPE's angles at the positions of a pass.
pub struct Rotation {
    /// The cosines for the rotated dimensions of a head, `[new, rotated]`.
    cosine: Tensor<2>,
    /// The sines of the same angles, `[new, rotated]`.
    sine: Tensor<2>,
}

impl Rotation {
    /// Returns the rotation of the first `rotated` dimensions of each head.
    pub fn new(positions: Range<usize>, rope: &Rope, rotated: usize, device: &Device) -> Self {
        let new = positions.len();
        let (cosines, sines) = rotations_at(positions, &rope.wavelengths(rotated));
        // YaRN sharpens attention by longer queries and keys.
        let factor = rope.attention_factor as f32;
        let table = |values: Vec<f32>| {
            let values: Vec<f32> = values.into_iter().map(|value| value * factor).collect();
            Tensor::from_data(TensorData::new(values, [new, rotated]), device)
        };
        Rotation {
            cosine: table(cosines),
            sine: table(sines),
        }
    }

    /// Returns the same rotation on a device.
    pub fn to_device(&self, device: &Device) -> Self {
        Rotation {
            cosine: self.cosine.clone().to_device(device),
            sine: self.sine.clone().to_device(device),
        }
    }

    /// Turns each pair `(i, i + rotated/2)` of every head of `[batch, new, heads * d_k]`.
    pub fn apply(&self, x: Tensor<3>, heads: usize) -> Tensor<3> {
        let [batch, new, width] = x.dims();
        let [_, rotated] = self.cosine.dims();
        let d_k = width / heads;
        let turn = |x| rotate(x, self.cosine.clone(), self.sine.clone(), heads);
        if rotated == d_k {
            return turn(x);
        }
        let x = x.reshape([batch, new, heads, d_k]);
        let first = x.clone().narrow(3, 0, rotated);
        let first = turn(first.reshape([batch, new, heads * rotated]));
        let rest = x.narrow(3, rotated, d_k - rotated);
        let first = first.reshape([batch, new, heads, rotated]);
        Tensor::cat(vec![first, rest], 3).reshape([batch, new, width])
    }
}
