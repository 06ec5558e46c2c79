//! Kernels for processors: the [`Flex`] backend's tensors, computed four floats at a time.
//!
//! burn-flex multiplies matrices with the `gemm` crate, which is hard to beat natively; in WebAssembly it has neither
//! fused multiply-add nor a kernel for single rows, so that this module computes the product there.

mod lanes;
mod parallel;
#[cfg(feature = "threads")]
mod pool;
mod product;
mod progress;
mod rows;
mod wide;

use attention_gguf::{Coding, Half};
use burn::backend::flex::FlexTensor;
use burn::backend::{
    Flex, TensorMetadata,
    ops::FloatTensorOps,
    tensor::{FloatTensor, IntTensor},
};
use burn::tensor::{Shape, TensorData};

use super::Kernels;
pub use parallel::threads;
use parallel::{Shared, for_each};
#[cfg(feature = "threads")]
pub use pool::{help, helper_died};
use product::blocks::Blocks;
use product::halves::Halves;
use product::packed::{self, Lines};
use product::{Matrix, multiply};
pub use progress::on_progress;
pub use rows::log_sum_exp;

type Float = FloatTensor<Flex>;

/// True if matrices are multiplied by this module rather than burn-flex.
const OWN_PRODUCTS: bool = cfg!(target_arch = "wasm32");
/// The number of weights that are widened at once for a product of burn-flex: 8 MB.
const STRETCH: usize = 1 << 21;

impl Kernels for Flex {
    fn linear(x: Float, weight: Float) -> Float {
        if !OWN_PRODUCTS {
            return Flex::float_matmul(x, weight);
        }
        linear(x, weight, None)
    }

    fn linear_bias(x: Float, weight: Float, bias: Float) -> Float {
        if !OWN_PRODUCTS {
            let product = Flex::float_matmul(x, weight);
            let [rows, columns] = product.shape().dims();
            let bias = Flex::float_reshape(bias, Shape::new([1, columns]));
            return Flex::float_add(
                product,
                Flex::float_expand(bias, Shape::new([rows, columns])),
            );
        }
        linear(x, weight, Some(bias))
    }

    fn linear_transposed(x: Float, table: Float) -> Float {
        Self::linear(x, Flex::float_swap_dims(table, 0, 1))
    }

    fn linear_blocks(x: Float, codes: IntTensor<Flex>, levels: Float, coding: Coding) -> Float {
        let (codes, levels) = (contiguous(codes), Dense::new(levels));
        let [_, lines, _] = levels.shape::<3>();
        linear_packed(x, lines, &blocks_of(&codes, &levels, coding))
    }

    fn unpack_blocks(codes: IntTensor<Flex>, levels: Float, coding: Coding) -> Float {
        let (codes, levels) = (contiguous(codes), Dense::new(levels));
        let [_, lines, _] = levels.shape::<3>();
        unpacked(0, lines, &blocks_of(&codes, &levels, coding))
    }

    fn linear_halves(x: Float, words: IntTensor<Flex>, half: Half) -> Float {
        let words = contiguous(words);
        let ([_, width], [lines, _]) = (x.shape().dims(), words.shape().dims());
        linear_packed(x, lines, &halves_of(&words, width, half))
    }

    fn unpack_halves(words: IntTensor<Flex>, width: usize, half: Half) -> Float {
        let words = contiguous(words);
        let [lines, _] = words.shape().dims();
        unpacked(0, lines, &halves_of(&words, width, half))
    }

    fn rms_norm(x: Float, gamma: Float, epsilon: f32) -> Float {
        let gamma = Dense::new(gamma);
        Dense::new(x).map_rows(gamma.values().len(), |_, row, out| {
            rows::rms_norm(row, gamma.values(), epsilon, out);
        })
    }

    fn layer_norm(x: Float, gamma: Float, beta: Float, epsilon: f32) -> Float {
        let (gamma, beta) = (Dense::new(gamma), Dense::new(beta));
        Dense::new(x).map_rows(gamma.values().len(), |_, row, out| {
            rows::layer_norm(row, gamma.values(), beta.values(), epsilon, out);
        })
    }

    fn swiglu(gate: Float, up: Float) -> Float {
        let (gate, up) = (Dense::new(gate), Dense::new(up));
        let [.., width] = gate.shape::<3>();
        gate.map_rows(width, |row, gate, out| {
            rows::swiglu(gate, &up.values()[row * width..][..width], out);
        })
    }

    fn rotate(x: Float, cosine: Float, sine: Float, heads: usize) -> Float {
        let (cosine, sine) = (Dense::new(cosine), Dense::new(sine));
        let [positions, d_k] = cosine.shape();
        Dense::new(x).map_rows(d_k, |index, head, out| {
            let at = index / heads % positions * d_k;
            rows::rotate(
                head,
                &cosine.values()[at..][..d_k],
                &sine.values()[at..][..d_k],
                out,
            );
        })
    }

    fn attention_weights(query: Float, key: Float, heads: usize, causal: bool) -> Float {
        let (query, key) = (Dense::new(query), Dense::new(key));
        let ([batch, n, width], [_, m, key_width]) = (query.shape(), key.shape());
        let d_k = width / heads;
        let scale = 1.0 / (d_k as f32).sqrt();
        let mut result = vec![0.0; batch * heads * n * m];
        let shared = Shared::new(&mut result);
        for_each(batch * heads, batch * n * m * width, |index| {
            let (sequence, head) = (index / heads, index % heads);
            let group = head * key_width / width;
            let queries = head_of(&query, sequence, head, d_k);
            let keys = Matrix {
                transposed: true,
                ..head_of(&key, sequence, group, d_k)
            };
            // SAFETY: every task has a head of its own.
            #[allow(unsafe_code)]
            let scores = unsafe { shared.part(index * n * m, n * m) };
            multiply(n, d_k, m, queries, keys, scores);
            for (row, scores) in scores.chunks_exact_mut(m).enumerate() {
                let visible = if causal { m - n + row + 1 } else { m };
                rows::softmax(scores, visible, scale);
            }
        });
        dense(result, [batch, heads, n, m])
    }

    fn softmax(scores: Float, causal: bool) -> Float {
        let scores = Dense::new(scores);
        let [_, _, n, m] = scores.shape();
        scores.map_rows(m, |row, scores, out| {
            let visible = if causal { m - n + row % n + 1 } else { m };
            out.copy_from_slice(scores);
            rows::softmax(out, visible, 1.0);
        })
    }

    fn weighted_values(weights: Float, value: Float, d_k: usize) -> Float {
        let (weights, value) = (Dense::new(weights), Dense::new(value));
        let ([batch, heads, n, m], [_, _, width]) = (weights.shape(), value.shape());
        let mut result = vec![0.0; batch * heads * n * d_k];
        let shared = Shared::new(&mut result);
        for_each(batch * heads, batch * heads * n * m * d_k, |index| {
            let (sequence, head) = (index / heads, index % heads);
            let group = head * (width / d_k) / heads;
            let weights = Matrix {
                values: &weights.values()[index * n * m..],
                stride: m,
                transposed: false,
            };
            // SAFETY: every task has a head of its own.
            #[allow(unsafe_code)]
            let out = unsafe { shared.part(index * n * d_k, n * d_k) };
            multiply(
                n,
                m,
                d_k,
                weights,
                head_of(&value, sequence, group, d_k),
                out,
            );
        });
        dense(result, [batch, heads, n, d_k])
    }
}

/// The same tensor, its values contiguous in memory.
fn contiguous(tensor: FlexTensor) -> FlexTensor {
    // A part of a larger tensor may lie so too, and need not be copied.
    match tensor.layout().is_contiguous() {
        true => tensor,
        false => tensor.to_contiguous(),
    }
}

/// A matrix in blocks, whose tensors are contiguous.
fn blocks_of<'a>(codes: &'a FlexTensor, levels: &'a Dense, coding: Coding) -> Blocks<'a> {
    let [_, lines, blocks] = levels.shape::<3>();
    let (scales, offsets) = levels.values().split_at(lines * blocks);
    Blocks {
        width: blocks * coding.block(),
        coding,
        codes: bytemuck::cast_slice(words(codes)),
        scales,
        offsets,
    }
}

/// A matrix of floats of 16 bits, whose tensor is contiguous.
fn halves_of(tensor: &FlexTensor, width: usize, half: Half) -> Halves<'_> {
    Halves {
        width,
        half,
        values: bytemuck::cast_slice(words(tensor)),
    }
}

/// The words of a contiguous tensor.
fn words(tensor: &FlexTensor) -> &[u32] {
    let start = tensor.layout().start_offset();
    &tensor.storage()[start..start + tensor.layout().num_elements()]
}

/// Computes `x·Wᵀ` by a stored matrix. Where products of many rows are burn's, a stretch of lines at a time is widened for
/// them: a table of 150,000 tokens takes half a gigabyte as f32.
fn linear_packed(x: Float, lines: usize, weight: &impl Lines) -> Float {
    let [rows, width] = x.shape().dims();
    let mut result = vec![0.0; rows * lines];
    if OWN_PRODUCTS || rows <= packed::FEW_ROWS {
        let x = Dense::new(x);
        let left = Matrix {
            values: x.values(),
            stride: width,
            transposed: false,
        };
        packed::multiply(rows, lines, left, weight, &mut result);
        return dense(result, [rows, lines]);
    }
    let stretch = (STRETCH / width.max(1)).max(1);
    for first in (0..lines).step_by(stretch) {
        let count = stretch.min(lines - first);
        let table = unpacked(first, count, weight);
        let product = Dense::new(Flex::linear_transposed(x.clone(), table));
        for (out, values) in result
            .chunks_exact_mut(lines)
            .zip(product.values().chunks_exact(count))
        {
            out[first..first + count].copy_from_slice(values);
        }
    }
    dense(result, [rows, lines])
}

/// Returns `count` lines of a stored matrix as f32, from line `first` on.
fn unpacked(first: usize, count: usize, weight: &impl Lines) -> Float {
    let mut values = vec![0.0; count * weight.width()];
    packed::unpack(first, weight, &mut values);
    dense(values, [count, weight.width()])
}

/// A tensor whose values are contiguous in memory.
struct Dense(FlexTensor);

impl Dense {
    fn new(tensor: FlexTensor) -> Self {
        Dense(contiguous(tensor))
    }

    fn values(&self) -> &[f32] {
        let start = self.0.layout().start_offset();
        &self.0.storage()[start..start + self.0.layout().num_elements()]
    }

    fn shape<const D: usize>(&self) -> [usize; D] {
        self.0.shape().dims()
    }

    /// Makes a tensor of the same shape by calling `make` with each run of `width` values, its index and the slice for
    /// the result.
    fn map_rows(
        &self,
        width: usize,
        make: impl Fn(usize, &[f32], &mut [f32]) + Sync,
    ) -> FlexTensor {
        /// The number of values in a task.
        const TASK: usize = 1 << 14;
        /// The cost of a value's exponential, or of its share of a sum and a root, in multiplications.
        const PER_VALUE: usize = 16;
        let values = self.values();
        let mut result = vec![0.0; values.len()];
        let shared = Shared::new(&mut result);
        let rows = values.len() / width;
        let per_task = TASK.div_ceil(width);
        for_each(rows.div_ceil(per_task), values.len() * PER_VALUE, |task| {
            for row in task * per_task..rows.min((task + 1) * per_task) {
                // SAFETY: every row is made once.
                #[allow(unsafe_code)]
                let out = unsafe { shared.part(row * width, width) };
                make(row, &values[row * width..][..width], out);
            }
        });
        FlexTensor::from_data(TensorData::new(result, self.0.shape()))
    }
}

/// Creates the tensor with these values.
fn dense<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(values, shape))
}

/// Computes `x·W`, plus `b` if given.
fn linear(x: FlexTensor, weight: FlexTensor, bias: Option<FlexTensor>) -> FlexTensor {
    let [inner, columns] = weight.shape().dims();
    // A table's transpose, and weights that were laid out for this, are columns in memory.
    let transposed = *weight.layout().strides() == [1, inner as isize];
    let weight = Dense::new(match transposed {
        true => Flex::float_swap_dims(weight, 0, 1),
        false => weight,
    });
    let x = Dense::new(x);
    let [rows, _] = x.shape();
    let left = Matrix {
        values: x.values(),
        stride: inner,
        transposed: false,
    };
    let right = Matrix {
        values: weight.values(),
        stride: if transposed { inner } else { columns },
        transposed,
    };
    let mut result = vec![0.0; rows * columns];
    multiply(rows, inner, columns, left, right, &mut result);
    if let Some(bias) = bias.map(Dense::new) {
        for row in result.chunks_exact_mut(columns) {
            for (value, bias) in row.iter_mut().zip(bias.values()) {
                *value += bias;
            }
        }
    }
    dense(result, [rows, columns])
}

/// Returns one head of one sequence of `[batch, positions, heads * d_k]`, as `[positions, d_k]`.
fn head_of(x: &Dense, sequence: usize, head: usize, d_k: usize) -> Matrix<'_> {
    let [_, positions, width] = x.shape();
    Matrix {
        values: &x.values()[sequence * positions * width + head * d_k..],
        stride: width,
        transposed: false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns some numbers between −1 and 1, `[rows, columns]`.
    fn matrix(rows: usize, columns: usize, step: f32) -> FlexTensor {
        let values = (0..rows * columns).map(|i| (i as f32 * step).sin());
        dense(values.collect(), [rows, columns])
    }

    proptest! {
        /// Natively products are burn's, so that only this ties ours to them.
        #[test]
        fn our_linear_is_burns_in_either_layout(
            rows in 1usize..6, inner in 1usize..20, columns in 1usize..20, by_column: bool, biased: bool,
        ) {
            let x = matrix(rows, inner, 0.7);
            let weight = match by_column {
                true => Flex::float_swap_dims(matrix(columns, inner, 1.3), 0, 1),
                false => matrix(inner, columns, 1.3),
            };
            let bias = biased.then(|| dense(vec![0.5; columns], [columns]));
            let shift = if biased { 0.5 } else { 0.0 };
            let expected = Dense::new(Flex::float_matmul(x.clone(), weight.clone()));
            let result = Dense::new(linear(x, weight, bias));
            prop_assert_eq!(result.shape::<2>(), [rows, columns]);
            for (value, expected) in result.values().iter().zip(expected.values()) {
                prop_assert!((value - (expected + shift)).abs() < 1e-4);
            }
        }
    }
}
