//! The position-wise feed-forward network, as two matrices and as two convolutions of width 1.

use attention_trace::{
    Array,
    lessons::{FedForward, FeedForwardWeights},
};
use burn::prelude::*;
use burn::tensor::{activation::relu, module::conv1d, ops::ConvOptions};

use super::{LessonError, array, fits, matrix, tensor, vector};

/// Computes `max(0, xW₁ + b₁)W₂ + b₂` ("Attention Is All You Need", equation 2) on activations `[b, n, d]`: by matrices
/// on `[b·n, d]`, one position a row, and by convolutions over one position at a time.
///
/// # Errors
/// If shapes do not agree, or arrays are too large or not finite.
pub fn feed_forward(x: &Array, weights: &FeedForwardWeights) -> Result<FedForward, LessonError> {
    let x = tensor::<3>("the activations", x, "[b, n, d]")?;
    let layers = Layers::new(weights)?;
    let [b, n, d] = x.dims();
    let [inner, outer] = [layers.w1.dims(), layers.w2.dims()];
    fits(inner[0] == d, "W₁", &inner, "[d, f]")?;
    fits(outer == [inner[1], d], "W₂", &outer, "[f, d]")?;
    fits(
        layers.b1.dims() == [inner[1]],
        "b₁",
        &layers.b1.dims(),
        "[f]",
    )?;
    fits(layers.b2.dims() == [d], "b₂", &layers.b2.dims(), "[d]")?;

    let rows = x.clone().reshape([b * n, d]);
    let hidden = relu(rows.matmul(layers.w1.clone()) + layers.b1.clone().unsqueeze());
    let out = hidden.clone().matmul(layers.w2.clone()) + layers.b2.clone().unsqueeze();
    Ok(FedForward {
        hidden: array(hidden)?,
        by_matrices: array(out.reshape([b, n, d]))?,
        by_convolution: array(layers.convolve(x))?,
    })
}

struct Layers {
    w1: Tensor<2>,
    b1: Tensor<1>,
    w2: Tensor<2>,
    b2: Tensor<1>,
}

impl Layers {
    fn new(weights: &FeedForwardWeights) -> Result<Self, LessonError> {
        Ok(Layers {
            w1: matrix("W₁", &weights.w1, "[d, f]")?,
            b1: vector("b₁", &weights.b1)?,
            w2: matrix("W₂", &weights.w2, "[f, d]")?,
            b2: vector("b₂", &weights.b2)?,
        })
    }

    /// Computes the network by convolutions with features as channels, `[b, d, n]`; a kernel of width 1 is a matrix,
    /// `[out, in, 1]`.
    fn convolve(self, x: Tensor<3>) -> Tensor<3> {
        let one = || ConvOptions::new([1], [0], [1], 1);
        let kernel = |weight: Tensor<2>| weight.transpose().unsqueeze_dim::<3>(2);
        let hidden = conv1d(x.swap_dims(1, 2), kernel(self.w1), Some(self.b1), one());
        conv1d(relu(hidden), kernel(self.w2), Some(self.b2), one()).swap_dims(1, 2)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn array(shape: &[usize], data: &[f32]) -> Array {
        Array {
            shape: shape.to_vec(),
            data: data.to_vec(),
        }
    }

    fn weights() -> FeedForwardWeights {
        FeedForwardWeights {
            w1: array(&[2, 3], &[1.0, 0.0, -1.0, 0.0, 2.0, 1.0]),
            b1: vec![0.0, -1.0, 0.5],
            w2: array(&[3, 2], &[1.0, 0.0, 0.0, 1.0, 2.0, -2.0]),
            b2: vec![0.5, -0.5],
        }
    }

    #[test]
    fn a_position_by_hand() {
        let made = feed_forward(&array(&[1, 2, 2], &[1.0, 2.0, -1.0, 0.0]), &weights()).unwrap();
        // (1, 2): (1, 4 − 1, −1 + 2 + 0.5); (−1, 0): (−1, −1, 1.5), of which ReLU leaves the last.
        assert_eq!(made.hidden, array(&[2, 3], &[1.0, 3.0, 1.5, 0.0, 0.0, 1.5]));
        let expected = array(&[1, 2, 2], &[4.5, -0.5, 3.5, -3.5]);
        assert_eq!(
            (&made.by_matrices, &made.by_convolution),
            (&expected, &expected)
        );
    }

    #[test]
    fn what_does_not_agree_is_refused() {
        let x = array(&[1, 1, 2], &[1.0, 2.0]);
        let wide = array(&[1, 1, 3], &[1.0, 2.0, 3.0]);
        assert!(feed_forward(&wide, &weights()).is_err());
        let short = FeedForwardWeights {
            b1: vec![0.0],
            ..weights()
        };
        assert!(feed_forward(&x, &short).is_err());
    }

    proptest! {
        #[test]
        fn matrices_and_convolutions_of_width_one_agree(
            x in prop::collection::vec(-2.0f32..2.0, 12),
            w in prop::collection::vec(-2.0f32..2.0, 20),
        ) {
            let weights = FeedForwardWeights {
                w1: array(&[2, 5], &w[..10]),
                b1: w[..5].to_vec(),
                w2: array(&[5, 2], &w[10..]),
                b2: w[5..7].to_vec(),
            };
            let made = feed_forward(&array(&[3, 2, 2], &x), &weights).unwrap();
            for (a, b) in made.by_matrices.data.iter().zip(&made.by_convolution.data) {
                prop_assert!((a - b).abs() < 1e-4, "{} and {}", a, b);
            }
        }
    }
}
