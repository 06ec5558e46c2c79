//! A recurrent layer, a convolution and self-attention in burn, from `[n, d]` to `[n, d]`, with weights drawn from a
//! seed.

use attention_trace::{layers::SequenceLayer, lessons::TimedPoint};
use burn::prelude::*;
use burn::tensor::{activation::softmax, module::conv1d, ops::ConvOptions};
use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
use rand_distr::{Distribution, StandardNormal};

use super::{LessonError, device, fits, not_too_large};

/// The seed of weights and inputs, on which times do not depend.
const SEED: u64 = 1;

/// A layer with its weights. Vectors are rows.
#[derive(Clone, Debug)]
pub(super) enum Layer {
    /// `h_t = tanh(x_t W + h_{t−1} U)`, `[d, d]` each.
    Recurrent {
        /// The matrices `W` and `U`.
        matrices: Box<[Tensor<2>; 2]>,
    },
    /// `y_t = Σ_j x_{t−j} W_j`: `[out, in, k]`, the token's own matrix last.
    Convolution {
        /// The kernel, `[out, in, k]`.
        kernel: Tensor<3>,
    },
    /// `softmax(QKᵀ/√d)V W^O` with one head as wide as the model, `[d, d]` each.
    SelfAttention {
        /// `W^Q`, `W^K` and `W^V`.
        projections: Box<[Tensor<2>; 3]>,
        /// The output projection, `W^O`.
        output: Tensor<2>,
    },
}

impl Layer {
    /// Creates the layer of a point and an input `[n, d]` for it. Weights have a variance of `1/d`, so that outputs are
    /// about as large as inputs.
    ///
    /// # Errors
    /// If a size is 0, or too large.
    pub fn drawn(point: TimedPoint) -> Result<(Self, Tensor<2>), LessonError> {
        let TimedPoint {
            layer,
            tokens,
            width,
            kernel,
        } = point;
        let sizes = [tokens, width, kernel];
        let are_there = sizes.iter().all(|&size| size > 0);
        fits(are_there, "the layer", &sizes, "[n > 0, d > 0, k > 0]")?;
        not_too_large(
            "the weights",
            width.saturating_mul(width).saturating_mul(kernel),
        )?;
        not_too_large("the inputs", tokens.saturating_mul(width))?;
        not_too_large("the attention map", tokens.saturating_mul(tokens))?;
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(SEED);
        let mut values = |count: usize| -> Vec<f32> {
            let normal = StandardNormal.sample_iter(&mut generator);
            normal.take(count).collect()
        };
        let scale = (width as f32).sqrt();
        let input = Tensor::from_data(
            TensorData::new(values(tokens * width), [tokens, width]),
            &device(),
        );
        let mut matrix = || {
            let data = TensorData::new(values(width * width), [width, width]);
            Tensor::<2>::from_data(data, &device()) / scale
        };
        let made = match layer {
            SequenceLayer::Recurrent => Layer::Recurrent {
                matrices: Box::new([matrix(), matrix()]),
            },
            SequenceLayer::Convolution => {
                let matrices = (0..kernel).map(|_| matrix().unsqueeze_dim::<3>(2));
                Layer::Convolution {
                    kernel: Tensor::cat(matrices.collect(), 2),
                }
            }
            SequenceLayer::SelfAttention => Layer::SelfAttention {
                projections: Box::new([matrix(), matrix(), matrix()]),
                output: matrix(),
            },
        };
        Ok((made, input))
    }

    /// Makes one pass over `x`, `[n, d]`.
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        match self {
            Layer::Recurrent { matrices } => recur(x, matrices),
            Layer::Convolution { kernel } => convolve(x, kernel),
            Layer::SelfAttention {
                projections,
                output,
            } => {
                let [query, key, value] = project(x, projections);
                mix(query, key, value).matmul(output.clone())
            }
        }
    }
}

/// Computes the states of a recurrent layer: `xW` is one product for all tokens, and `h_{t−1} U` is one product per
/// token.
fn recur(x: Tensor<2>, [input, recurrent]: &[Tensor<2>; 2]) -> Tensor<2> {
    let [tokens, width] = x.dims();
    let read = x.matmul(input.clone());
    let mut state = Tensor::<2>::zeros([1, width], &read.device());
    let mut states = Vec::with_capacity(tokens);
    for token in 0..tokens {
        let from_input = read.clone().narrow(0, token, 1);
        state = (from_input + state.matmul(recurrent.clone())).tanh();
        states.push(state.clone());
    }
    Tensor::cat(states, 0)
}

/// Computes the convolution with features as channels, `[1, d, n]`, and zeros before the first token.
fn convolve(x: Tensor<2>, kernel: &Tensor<3>) -> Tensor<2> {
    let [_, width] = x.dims();
    let [_, _, taps] = kernel.dims();
    let mut channels = x.transpose().unsqueeze_dim::<3>(0);
    if taps > 1 {
        let before = Tensor::zeros([1, width, taps - 1], &channels.device());
        channels = Tensor::cat(vec![before, channels], 2);
    }
    let options = ConvOptions::new([1], [0], [1], 1);
    let made = conv1d(channels, kernel.clone(), None, options);
    made.squeeze_dim::<2>(0).transpose()
}

/// Queries, keys and values.
pub(super) fn project(x: Tensor<2>, projections: &[Tensor<2>; 3]) -> [Tensor<2>; 3] {
    projections
        .each_ref()
        .map(|matrix| x.clone().matmul(matrix.clone()))
}

/// Computes `softmax(QKᵀ/√d)V`: the part whose cost is `n²·d`.
pub(super) fn mix(query: Tensor<2>, key: Tensor<2>, value: Tensor<2>) -> Tensor<2> {
    let [_, width] = query.dims();
    let scores = query.matmul(key.transpose()) / (width as f32).sqrt();
    softmax(scores, 1).matmul(value)
}

#[cfg(test)]
mod tests {
    use super::{super::values, *};

    fn tensor<const D: usize>(shape: [usize; D], data: &[f32]) -> Tensor<D> {
        Tensor::from_data(TensorData::new(data.to_vec(), shape), &device())
    }

    fn assert_close(made: Tensor<2>, expected: &[f32]) {
        let made = values(made).unwrap();
        assert_eq!(made.len(), expected.len());
        for (found, expected) in made.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-5, "{found} for {expected}");
        }
    }

    /// Two tokens of width 2.
    fn x() -> Tensor<2> {
        tensor([2, 2], &[1.0, 0.0, 0.0, 2.0])
    }

    #[test]
    fn a_state_is_made_of_its_token_and_the_state_before() {
        let layer = Layer::Recurrent {
            matrices: Box::new([
                tensor([2, 2], &[0.5, 0.0, 0.0, 0.25]),
                tensor([2, 2], &[0.0, 1.0, 1.0, 0.0]),
            ]),
        };
        let first = [0.5f32.tanh(), 0.0];
        // The state before comes with its components exchanged.
        let second = [0.0f32.tanh(), (0.5 + first[0]).tanh()];
        assert_close(layer.forward(x()), &[first, second].concat());
    }

    #[test]
    fn a_kernels_last_matrix_is_the_tokens_own_and_zeros_stand_before_the_first() {
        // Before: times 10. Own: the components as they are.
        let kernel = [10.0, 1.0, 0.0, 0.0, 0.0, 0.0, 10.0, 1.0];
        let layer = Layer::Convolution {
            kernel: tensor([2, 2, 2], &kernel),
        };
        assert_close(layer.forward(x()), &[1.0, 0.0, 10.0, 2.0]);
    }

    #[test]
    fn attention_is_the_weighted_mean_of_the_values() {
        let one = || tensor([2, 2], &[1.0, 0.0, 0.0, 1.0]);
        let layer = Layer::SelfAttention {
            projections: Box::new([one(), one(), one()]),
            output: one(),
        };
        let share = |own: f32, other: f32| {
            let [own, other] = [own, other].map(|score| (score / 2f32.sqrt()).exp());
            own / (own + other)
        };
        // x₁·x₁ = 1, x₁·x₂ = 0; x₂·x₂ = 4.
        let (first, second) = (share(1.0, 0.0), share(4.0, 0.0));
        let expected = [first, 2.0 * (1.0 - first), 1.0 - second, 2.0 * second];
        assert_close(layer.forward(x()), &expected);
    }

    #[test]
    fn every_layer_keeps_the_shape() {
        for layer in SequenceLayer::ALL {
            let point = TimedPoint {
                layer,
                tokens: 5,
                width: 4,
                kernel: 3,
            };
            let (layer, input) = Layer::drawn(point).unwrap();
            let made = layer.forward(input);
            assert_eq!(made.dims(), [5, 4]);
            let finite = values(made).unwrap().iter().all(|value| value.is_finite());
            assert!(finite);
        }
    }

    #[test]
    fn sizes_of_nothing_and_of_too_much_are_refused() {
        let point = |tokens, width, kernel| TimedPoint {
            layer: SequenceLayer::Convolution,
            tokens,
            width,
            kernel,
        };
        for point in [point(0, 4, 3), point(4, 0, 3), point(4, 4, 0)] {
            let error = Layer::drawn(point).unwrap_err();
            assert!(matches!(error, LessonError::Shape { .. }), "{error}");
        }
        for point in [
            point(1 << 12, 4, 3),
            point(4, 1 << 12, 3),
            point(usize::MAX, 2, 1),
        ] {
            let error = Layer::drawn(point).unwrap_err();
            assert!(matches!(error, LessonError::TooLarge { .. }), "{error}");
        }
    }
}
