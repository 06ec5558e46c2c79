//! The gated recurrent unit, as in PyTorch's `nn.GRU`.

use burn::nn::{Initializer, Linear};
use burn::prelude::*;
use burn::tensor::activation::sigmoid;

use crate::kernels::linear;

/// One layer in one direction ([Cho et al. 2014](https://arxiv.org/abs/1406.1078)). Its matrices have the gates side by
/// side: reset, update, new.
#[derive(Module, Debug)]
pub struct Gru {
    input: Linear,
    hidden: Linear,
}

impl Gru {
    /// Creates a new cell with PyTorch's initial weights, uniform in `±1/√width`.
    pub fn new(input: usize, width: usize, device: &Device) -> Self {
        let bound = (width as f64).powf(-0.5);
        let init = Initializer::Uniform {
            min: -bound,
            max: bound,
        };
        let gates = |input: usize| Linear {
            weight: init.init([input, 3 * width], device),
            bias: Some(init.init([3 * width], device)),
        };
        Gru {
            input: gates(input),
            hidden: gates(width),
        }
    }

    /// Projects the input of all steps for the gates, in one product.
    ///
    /// # Shapes
    /// - x: `[batch, length, input]`
    /// - out: `[batch, length, 3 * width]`
    pub fn gates(&self, x: Tensor<3>) -> Tensor<3> {
        project(x, &self.input)
    }

    /// Computes the state after one step, `[batch, width]`, from the previous one and the output of
    /// [`gates`](Self::gates) for the step's input, `[batch, 3 * width]`.
    pub fn step(&self, gates: Tensor<2>, state: Tensor<2>) -> Tensor<2> {
        let [_, width] = state.dims();
        let own = project_row(state.clone(), &self.hidden);
        let sum = gates.clone().narrow(1, 0, 2 * width) + own.clone().narrow(1, 0, 2 * width);
        let opened = sigmoid(sum);
        let reset = opened.clone().narrow(1, 0, width);
        let update = opened.narrow(1, width, width);
        let [read, own] = [gates, own].map(|all| all.narrow(1, 2 * width, width));
        let new = tanh(read + reset * own);
        new.clone() + update * (state - new)
    }

    /// Computes the states of all steps, `[batch, length, width]`, from the first token to the last or in reverse. At
    /// padding, which `real` marks, the state does not change: the last state of a row is that of its last token, and a
    /// row that is read from its end begins at its last token.
    ///
    /// # Shapes
    /// - x: `[batch, length, input]`
    /// - real: for each step `[batch, 1]`, 1 at a token and 0 at padding; `None` where there is none
    pub fn read(&self, x: Tensor<3>, real: Option<&[Tensor<2>]>, backward: bool) -> Tensor<3> {
        let [batch, length, _] = x.dims();
        let [width, _] = self.hidden.weight.dims();
        let mut state = Tensor::<2>::zeros([batch, width], &x.device());
        let gates = steps(self.gates(x));
        let mut states = Vec::with_capacity(length);
        let mut read = |step: usize, gates: Tensor<2>| {
            let next = self.step(gates, state.clone());
            state = match real {
                Some(real) => state.clone() + (next - state.clone()) * real[step].clone(),
                None => next,
            };
            states.push(state.clone().unsqueeze_dim::<3>(1));
        };
        let gates = gates.into_iter().enumerate();
        if backward {
            gates.rev().for_each(|(step, gates)| read(step, gates));
            states.reverse();
        } else {
            gates.for_each(|(step, gates)| read(step, gates));
        }
        Tensor::cat(states, 1)
    }
}

/// `tanh x`, as `2σ(2x) − 1`: on the CPU burn's own, of libm, took a third of the time in which Bahdanau's attention is
/// trained.
pub fn tanh<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    sigmoid(x.mul_scalar(2.0)).mul_scalar(2.0).sub_scalar(1.0)
}

/// Returns each row of `[batch, length, width]` as `[batch, width]`. It halves the tensor repeatedly: the gradient of a
/// part is as large as the tensor that it was cut from, so that cutting one part after another would cost `length²`.
pub fn steps(x: Tensor<3>) -> Vec<Tensor<2>> {
    let [_, length, _] = x.dims();
    if length <= 1 {
        return (0..length).map(|_| x.clone().squeeze_dim(1)).collect();
    }
    let half = length / 2;
    let mut all = steps(x.clone().narrow(1, 0, half));
    all.extend(steps(x.narrow(1, half, length - half)));
    all
}

/// `x·W + b` of all steps, as one product.
///
/// # Shapes
/// - x: `[batch, length, in]`
/// - out: `[batch, length, out]`
pub fn project(x: Tensor<3>, layer: &Linear) -> Tensor<3> {
    let [batch, length, width] = x.dims();
    let [_, out] = layer.weight.dims();
    linear(x.reshape([1, batch * length, width]), layer).reshape([batch, length, out])
}

/// Computes the same projection for one step, `[batch, in]` to `[batch, out]`.
pub fn project_row(x: Tensor<2>, layer: &Linear) -> Tensor<2> {
    linear(x.unsqueeze_dim::<3>(0), layer).squeeze_dim(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats<const D: usize>(x: Tensor<D>) -> Vec<f32> {
        x.into_data().try_into_vec().unwrap()
    }

    #[test]
    fn the_hyperbolic_tangent_is_one() {
        let values = [-60.0, -3.0, -0.5, -1e-3, 0.0, 0.25, 2.0, 90.0_f32];
        let x = Tensor::<1>::from_data(values, &Device::flex());
        for (found, value) in floats(tanh(x)).into_iter().zip(values) {
            assert!((found - value.tanh()).abs() < 2e-7, "{value}: {found}");
        }
    }

    #[test]
    fn steps_are_the_rows_in_order() {
        let rows: Vec<f32> = (0..10).map(|number| number as f32).collect();
        let device = Device::flex();
        let x = Tensor::<3>::from_data(TensorData::new(rows, [1, 5, 2]), &device);
        let found = steps(x).into_iter().map(floats).collect::<Vec<_>>();
        assert_eq!(found, [[0., 1.], [2., 3.], [4., 5.], [6., 7.], [8., 9.]]);
    }

    #[test]
    fn padding_is_as_if_it_were_not_there() {
        let device = Device::flex();
        let gru = Gru::new(2, 3, &device);
        let tensor = |values: &[f32], length| {
            Tensor::<3>::from_data(TensorData::new(values.to_vec(), [1, length, 2]), &device)
        };
        let alone = tensor(&[0.5, -1.0, 2.0, 0.25], 2);
        let padded = tensor(&[0.5, -1.0, 2.0, 0.25, 9.0, 9.0], 3);
        let real = [1.0, 1.0, 0.0].map(|real| Tensor::<2>::from_data([[real]], &device));
        let close = |found: &[f32], expected: &[f32]| {
            let pairs = found.iter().zip(expected);
            found.len() == expected.len() && pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-6)
        };
        let expected = floats(gru.read(alone.clone(), None, false));
        let found = floats(gru.read(padded.clone(), Some(&real), false));
        assert!(close(&found[..6], &expected), "{found:?}, {expected:?}");
        assert!(
            close(&found[6..], &expected[3..]),
            "{found:?}, {expected:?}"
        );
        let expected = floats(gru.read(alone, None, true));
        let found = floats(gru.read(padded, Some(&real), true));
        assert!(close(&found[..6], &expected), "{found:?}, {expected:?}");
    }
}
