//! Tests of each kernel alone, to find the one that is wrong.

use attention_gguf::{CodedLines, Coding, Half, HalfLines};
use burn::module::Param;
use burn::nn::{LayerNormConfig, Linear, RmsNormConfig};
use burn::prelude::*;
use burn::tensor::{Transaction, bf16, f16};

use super::TOLERANCE;
use super::difference::relative;
use super::known::noise;
use crate::error::ModelError;
use crate::kernels::{self, Blocks, Halves};

/// Numbers of rows for the kernels of few rows, and for those that compute several at once, with a remainder.
const FEW: usize = 3;
const MANY: usize = 11;
/// A width that is not a multiple of a kernel's block.
const WIDTH: usize = 20;
/// A width that needs more than one workgroup.
const WIDE: usize = 268;
/// The number of blocks in a line of a matrix in blocks.
const BLOCKS: usize = 3;
const HEADS: usize = 4;
const GROUPS: usize = 2;
const D_K: usize = 12;
const EPSILON: f64 = 1e-5;

/// A kernel, by the name of its shader, and the function that runs it.
type Case = (&'static str, fn(&Inputs) -> Vec<Tensor<1>>);

const SOFTMAX: &str = "softmax";
/// The name of the kernel of scores, whose results are visible only after softmax.
const SCORES: &str = "scores";

const CASES: [Case; 28] = [
    ("linear", |inputs| linear(inputs, MANY, false)),
    ("linear_bias", |inputs| linear(inputs, MANY, true)),
    ("linear_row", |inputs| linear(inputs, FEW, false)),
    ("linear_row_bias", |inputs| linear(inputs, FEW, true)),
    ("transposed", |inputs| transposed(inputs, MANY)),
    ("transposed_row", |inputs| transposed(inputs, FEW)),
    ("nibbles", |inputs| blocks(inputs, Coding::Nibbles, MANY)),
    ("nibbles_row", |inputs| blocks(inputs, Coding::Nibbles, FEW)),
    ("unpack_nibbles", |inputs| unpack(inputs, Coding::Nibbles)),
    ("bytes", |inputs| blocks(inputs, Coding::Bytes, MANY)),
    ("bytes_row", |inputs| blocks(inputs, Coding::Bytes, FEW)),
    ("unpack_bytes", |inputs| unpack(inputs, Coding::Bytes)),
    ("short_bytes", |inputs| {
        blocks(inputs, Coding::ShortBytes, MANY)
    }),
    ("short_bytes_row", |inputs| {
        blocks(inputs, Coding::ShortBytes, FEW)
    }),
    ("unpack_short_bytes", |inputs| {
        unpack(inputs, Coding::ShortBytes)
    }),
    ("f16", |inputs| halves(inputs, Half::F16, MANY)),
    ("f16_row", |inputs| halves(inputs, Half::F16, FEW)),
    ("unpack_f16", |inputs| unpack_halves(inputs, Half::F16)),
    ("bf16", |inputs| halves(inputs, Half::Bf16, MANY)),
    ("bf16_row", |inputs| halves(inputs, Half::Bf16, FEW)),
    ("unpack_bf16", |inputs| unpack_halves(inputs, Half::Bf16)),
    (SOFTMAX, softmax),
    (SCORES, attention_weights),
    ("values", weighted_values),
    ("rms_norm", rms_norm),
    ("layer_norm", layer_norm),
    ("swiglu", |inputs| {
        let (gate, up) = (inputs.states(MANY, WIDE, 1), inputs.states(MANY, WIDE, 2));
        vec![kernels::swiglu(gate, up).flatten(0, 2)]
    }),
    ("rotate", |inputs| {
        let x = inputs.states(MANY, HEADS * D_K, 1);
        let (cosine, sine) = (inputs.matrix(MANY, D_K, 2), inputs.matrix(MANY, D_K, 3));
        vec![kernels::rotate(x, cosine, sine, HEADS).flatten(0, 2)]
    }),
];

/// Returns the kernels whose results on `device` differ from those on `reference`.
///
/// # Errors
/// If a device fails.
pub async fn wrong_kernels(
    device: &Device,
    reference: &Device,
) -> Result<Vec<&'static str>, ModelError> {
    let mut wrong = vec![];
    for (name, run) in CASES {
        if name == SCORES && wrong.contains(&SOFTMAX) {
            continue;
        }
        let expected = read(run(&Inputs(reference))).await?;
        let found = read(run(&Inputs(device))).await?;
        if relative(&found, &expected) > TOLERANCE {
            wrong.push(name);
        }
    }
    Ok(wrong)
}

async fn read(tensors: Vec<Tensor<1>>) -> Result<Vec<f32>, ModelError> {
    let transaction = tensors
        .into_iter()
        .fold(Transaction::default(), Transaction::register);
    let values = transaction
        .execute_async()
        .await
        .map_err(|error| ModelError::Device(error.to_string()))?
        .into_iter()
        .map(|data| {
            data.try_into_vec::<f32>()
                .map_err(|error| ModelError::Device(format!("{error:?}")))
        })
        .collect::<Result<Vec<_>, _>>()?;
    Ok(values.concat())
}

/// Numbers on a device, the same on each. They are copied from the host: an error in burn's own random numbers on the
/// device must not count as a kernel's fault.
struct Inputs<'a>(&'a Device);

impl Inputs<'_> {
    fn matrix(&self, rows: usize, columns: usize, seed: u64) -> Tensor<2> {
        let values = noise(rows * columns, seed);
        Tensor::from_data(TensorData::new(values, [rows, columns]), self.0)
    }

    fn vector(&self, length: usize, seed: u64) -> Param<Tensor<1>> {
        Param::from_tensor(self.matrix(1, length, seed).flatten(0, 1))
    }

    /// Returns the states of one sequence.
    fn states(&self, rows: usize, width: usize, seed: u64) -> Tensor<3> {
        self.matrix(rows, width, seed).unsqueeze()
    }

    /// Returns a matrix for each head.
    fn heads(&self, rows: usize, columns: usize, seed: u64) -> Tensor<4> {
        let all = self.matrix(HEADS * rows, columns, seed);
        all.reshape([1, HEADS, rows, columns])
    }
}

fn linear(inputs: &Inputs, rows: usize, biased: bool) -> Vec<Tensor<1>> {
    let layer = Linear {
        weight: Param::from_tensor(inputs.matrix(WIDTH, WIDE, 1)),
        bias: biased.then(|| inputs.vector(WIDE, 2)),
    };
    vec![kernels::linear(inputs.states(rows, WIDTH, 3), &layer).flatten(0, 2)]
}

fn transposed(inputs: &Inputs, rows: usize) -> Vec<Tensor<1>> {
    let (x, table) = (
        inputs.matrix(rows, WIDTH, 1),
        inputs.matrix(WIDE + 1, WIDTH, 2),
    );
    vec![kernels::linear_transposed(x, table).flatten(0, 1)]
}

/// Returns a matrix of [`WIDE`] lines in blocks, with offsets except in short ones.
fn matrix_in_blocks(inputs: &Inputs, coding: Coding) -> Blocks {
    let blocks = WIDE * BLOCKS;
    let words = noise(blocks * coding.block_bytes() / 4, 1);
    let offsets = match coding {
        Coding::Nibbles | Coding::Bytes => noise(blocks, 3),
        Coding::ShortBytes => vec![],
    };
    let lines = CodedLines {
        width: BLOCKS * coding.block(),
        coding,
        codes: words.into_iter().map(f32::to_bits).collect(),
        scales: noise(blocks, 2),
        offsets,
    };
    Blocks::new(lines, inputs.0)
}

fn blocks(inputs: &Inputs, coding: Coding, rows: usize) -> Vec<Tensor<1>> {
    let x = inputs.matrix(rows, BLOCKS * coding.block(), 4);
    let product = kernels::linear_blocks(x, &matrix_in_blocks(inputs, coding));
    vec![product.flatten(0, 1)]
}

fn unpack(inputs: &Inputs, coding: Coding) -> Vec<Tensor<1>> {
    vec![matrix_in_blocks(inputs, coding).unpack().flatten(0, 1)]
}

/// Returns a matrix of [`WIDE`] lines of [`WIDTH`] floats of 16 bits, up to `largest`.
fn matrix_of_halves(inputs: &Inputs, half: Half, largest: f32) -> Halves {
    let bits = |value: f32| match half {
        Half::F16 => f16::from_f32(value * largest).to_bits(),
        Half::Bf16 => bf16::from_f32(value * largest).to_bits(),
    };
    let values = noise(WIDE * WIDTH, 1);
    let (pairs, _) = values.as_chunks::<2>();
    let word = |&[low, high]: &[f32; 2]| u32::from(bits(low)) | u32::from(bits(high)) << 16;
    let lines = HalfLines {
        width: WIDTH,
        half,
        words: pairs.iter().map(word).collect(),
    };
    Halves::new(lines, inputs.0)
}

fn halves(inputs: &Inputs, half: Half, rows: usize) -> Vec<Tensor<1>> {
    let x = inputs.matrix(rows, WIDTH, 4);
    let product = kernels::linear_halves(x, &matrix_of_halves(inputs, half, 1.0));
    vec![product.flatten(0, 1)]
}

/// Returns a matrix, and the multiple of one whose floats are subnormal as f16.
fn unpack_halves(inputs: &Inputs, half: Half) -> Vec<Tensor<1>> {
    const LEAST_NORMAL: f32 = 1.0 / 16_384.0;
    let unpacked = |largest| {
        let matrix = matrix_of_halves(inputs, half, largest).unpack();
        matrix.div_scalar(largest).flatten(0, 1)
    };
    vec![unpacked(1.0), unpacked(LEAST_NORMAL)]
}

fn rms_norm(inputs: &Inputs) -> Vec<Tensor<1>> {
    let mut norm = RmsNormConfig::new(WIDTH)
        .with_epsilon(EPSILON)
        .init(inputs.0);
    norm.gamma = inputs.vector(WIDTH, 1);
    vec![kernels::rms_norm(inputs.states(MANY, WIDTH, 2), &norm).flatten(0, 2)]
}

fn layer_norm(inputs: &Inputs) -> Vec<Tensor<1>> {
    let mut norm = LayerNormConfig::new(WIDTH).init(inputs.0);
    norm.gamma = inputs.vector(WIDTH, 1);
    norm.beta = Some(inputs.vector(WIDTH, 2));
    vec![kernels::layer_norm(inputs.states(MANY, WIDTH, 3), &norm, EPSILON).flatten(0, 2)]
}

/// Returns the results with a mask and without.
fn both(make: impl Fn(bool) -> Option<Tensor<4>>) -> Vec<Tensor<1>> {
    [false, true]
        .into_iter()
        .filter_map(|causal| Some(make(causal)?.flatten(0, 3)))
        .collect()
}

fn softmax(inputs: &Inputs) -> Vec<Tensor<1>> {
    both(|causal| kernels::softmax(inputs.heads(FEW, MANY, 1), causal))
}

fn attention_weights(inputs: &Inputs) -> Vec<Tensor<1>> {
    let key = inputs.states(MANY, GROUPS * D_K, 1);
    let rows = |rows| {
        let query = inputs.states(rows, HEADS * D_K, 2);
        both(|causal| kernels::attention_weights(&query, &key, HEADS, causal))
    };
    [rows(FEW), rows(MANY)].concat()
}

fn weighted_values(inputs: &Inputs) -> Vec<Tensor<1>> {
    let value = inputs.states(MANY, GROUPS * D_K, 1);
    [FEW, MANY]
        .into_iter()
        .filter_map(|rows| {
            let weights = inputs.heads(rows, MANY, 2);
            let outputs = kernels::weighted_values(&weights, &value, D_K)?;
            // As they lie in memory, so that nothing is copied.
            Some(outputs.swap_dims(1, 2).flatten(0, 3))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_computes_numbers_that_agree_with_themselves() {
        let device = Device::flex();
        for (name, run) in CASES {
            let values = pollster::block_on(read(run(&Inputs(&device)))).unwrap();
            assert!(values.iter().all(|value| value.is_finite()), "{name}");
            assert!(values.iter().any(|value| value.abs() > 0.1), "{name}");
        }
        let wrong = pollster::block_on(wrong_kernels(&device, &device));
        assert_eq!(wrong.unwrap(), Vec::<&str>::new());
    }
}
