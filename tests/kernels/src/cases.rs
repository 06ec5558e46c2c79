//! Each kernel at many sizes, most of them odd, and some so large that threads share them.

use attention_gguf::{CodedLines, Coding, Half, HalfLines};
use attention_model::kernels::{self, Blocks, Halves};
use burn::module::Param;
use burn::nn::{LayerNormConfig, Linear, RmsNormConfig};
use burn::prelude::*;

use crate::reference::{self, Matrix};

/// A kernel, and the function that finds its largest error.
pub struct Case {
    /// The name of the kernel.
    pub name: &'static str,
    /// Returns the largest error at any size.
    pub run: fn() -> f64,
}

/// The cases of all kernels.
pub const CASES: [Case; 14] = [
    Case {
        name: "products with weights that lie row by row",
        run: || linear(false, false),
    },
    Case {
        name: "products with weights that lie column by column",
        run: || linear(true, false),
    },
    Case {
        name: "products to which a bias is added",
        run: || linear(true, true).max(linear(false, true)),
    },
    Case {
        name: "products with a table",
        run: linear_transposed,
    },
    Case {
        name: "products with a part of a larger tensor",
        run: linear_of_a_part,
    },
    Case {
        name: "products with floats of 16 bits",
        run: linear_halves,
    },
    Case {
        name: "products with blocks of small integers",
        run: linear_blocks,
    },
    Case {
        name: "attention weights",
        run: attention_weights,
    },
    Case {
        name: "softmax of far scores",
        run: softmax,
    },
    Case {
        name: "weighted values",
        run: weighted_values,
    },
    Case {
        name: "RMSNorm and layer normalisation",
        run: norms,
    },
    Case {
        name: "SwiGLU",
        run: swiglu,
    },
    Case {
        name: "RoPE",
        run: rotate,
    },
    Case {
        name: "log-sum-exp",
        run: log_sum_exp,
    },
];

/// Rows, inner length and columns of products. A strip of the right matrix is 384 deep and eight columns wide,
/// tiles are of two or four rows, and from 128 rows on columns are read in another order.
const PRODUCTS: [[usize; 3]; 18] = [
    [1, 1, 1],
    [1, 3, 2],
    [1, 8, 5],
    [1, 17, 9],
    [1, 385, 67],
    [1, 513, 1031],
    [2, 4, 3],
    [2, 9, 31],
    [3, 5, 7],
    [4, 64, 64],
    [5, 63, 65],
    [7, 383, 33],
    [11, 20, 268],
    [13, 385, 71],
    [127, 19, 37],
    [128, 65, 63],
    [131, 770, 130],
    [64, 256, 1024],
];

fn linear(by_column: bool, biased: bool) -> f64 {
    worst(PRODUCTS.map(|[rows, inner, columns]| {
        let mut numbers = Numbers::new(rows + inner + columns);
        let (x, bias) = (numbers.take(rows * inner), numbers.take(columns));
        // The weights' columns, one after another.
        let weight = numbers.take(columns * inner);
        let tensor = match by_column {
            true => matrix(&weight, inner).swap_dims(0, 1),
            false => {
                let by_row = Matrix::new(&weight, inner).transposed();
                let by_row: Vec<f32> = by_row.values.iter().map(|&value| value as f32).collect();
                matrix(&by_row, columns)
            }
        };
        let layer = Linear {
            weight: Param::from_tensor(tensor),
            bias: biased.then(|| Param::from_tensor(matrix(&bias, columns).flatten(0, 1))),
        };
        let found = read(kernels::linear(matrix(&x, inner).unsqueeze(), &layer));
        let mut expected =
            reference::times_transposed(&Matrix::new(&x, inner), &Matrix::new(&weight, inner));
        if biased {
            for (index, value) in expected.iter_mut().enumerate() {
                *value += f64::from(bias[index % columns]);
            }
        }
        error(&found, &expected)
    }))
}

fn linear_transposed() -> f64 {
    worst(PRODUCTS.map(|[rows, inner, columns]| {
        let mut numbers = Numbers::new(rows + inner + columns);
        let (x, table) = (numbers.take(rows * inner), numbers.take(columns * inner));
        let found = kernels::linear_transposed(matrix(&x, inner), matrix(&table, inner));
        let expected =
            reference::times_transposed(&Matrix::new(&x, inner), &Matrix::new(&table, inner));
        error(&read(found), &expected)
    }))
}

/// Returns the error with a narrowed tensor, which does not begin where its memory begins.
fn linear_of_a_part() -> f64 {
    worst([1, 2, 5, 9].map(|rows| {
        let (inner, columns) = (21, 13);
        let mut numbers = Numbers::new(rows);
        let all = numbers.take((rows + 4) * inner);
        let table = numbers.take((columns + 3) * inner);
        let x = matrix(&all, inner).narrow(0, 4, rows);
        let part = matrix(&table, inner).narrow(0, 3, columns);
        let expected = reference::times_transposed(
            &Matrix::new(&all[4 * inner..], inner),
            &Matrix::new(&table[3 * inner..], inner),
        );
        error(&read(kernels::linear_transposed(x, part)), &expected)
    }))
}

fn linear_halves() -> f64 {
    worst(PRODUCTS.map(|[rows, inner, columns]| {
        worst([Half::F16, Half::Bf16].map(|half| {
            let mut numbers = Numbers::new(rows + inner + columns);
            let x = numbers.take(rows * inner);
            let bits: Vec<u16> = numbers
                .take(columns * inner.next_multiple_of(2))
                .iter()
                .enumerate()
                // From normal numbers to subnormal ones, as f16.
                .map(|(place, value)| half_bits(half, value * 0.5_f32.powi(place as i32 % 20)))
                .collect();
            let (pairs, _) = bits.as_chunks::<2>();
            let word = |&[low, high]: &[u16; 2]| u32::from(low) | u32::from(high) << 16;
            let lines = HalfLines {
                width: inner,
                half,
                words: pairs.iter().map(word).collect(),
            };
            let halves = Halves::new(lines, &Device::flex());
            let found = read(kernels::linear_halves(matrix(&x, inner), &halves));
            let unpacked = read(halves.unpack());
            let weights: Vec<f64> = bits
                .chunks_exact(inner.next_multiple_of(2))
                .flat_map(|line| &line[..inner])
                .map(|&bits| reference::half(half, bits))
                .collect();
            let weights = Matrix {
                values: weights,
                columns: inner,
            };
            let expected = reference::times_transposed(&Matrix::new(&x, inner), &weights);
            error(&found, &expected).max(error(&unpacked, &weights.values))
        }))
    }))
}

/// Returns the upper bits of a number in a format of 16 bits; those that are left out are cut off.
fn half_bits(half: Half, value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    match half {
        Half::Bf16 => (bits >> 16) as u16,
        // Numbers below the least normal one are multiples of 2⁻²⁴.
        Half::F16 if value.abs() < 0.5_f32.powi(14) => sign | (value.abs() * 2_f32.powi(24)) as u16,
        Half::F16 => sign | (((bits & 0x7fff_ffff) - (112 << 23)) >> 13) as u16,
    }
}

fn linear_blocks() -> f64 {
    let codings = [Coding::Nibbles, Coding::Bytes, Coding::ShortBytes];
    worst([1, 3, 4, 5, 11].map(|rows| {
        worst(codings.map(|coding| {
            let (columns, blocks) = (37, 5);
            let inner = blocks * coding.block();
            let mut numbers = Numbers::new(rows + inner);
            let x = numbers.take(rows * inner);
            let words = columns * blocks * coding.block_bytes() / 4;
            let lines = CodedLines {
                width: inner,
                coding,
                codes: numbers
                    .take(words)
                    .iter()
                    .map(|value| value.to_bits().rotate_left(12))
                    .collect(),
                scales: numbers.take(columns * blocks),
                offsets: numbers.take(columns * blocks),
            };
            let weights = Matrix {
                values: reference::decoded(&lines),
                columns: inner,
            };
            let blocks = Blocks::new(lines, &Device::flex());
            let found = read(kernels::linear_blocks(matrix(&x, inner), &blocks));
            let unpacked = read(blocks.unpack());
            let expected = reference::times_transposed(&Matrix::new(&x, inner), &weights);
            // Codes are up to 128 times a scale, so that large products cancel.
            let size = coding_size(coding);
            (error(&found, &expected) / size).max(error(&unpacked, &weights.values))
        }))
    }))
}

/// Returns the magnitude of a product of a number with a weight.
fn coding_size(coding: Coding) -> f64 {
    match coding {
        Coding::Nibbles => 8.0,
        Coding::Bytes | Coding::ShortBytes => 128.0,
    }
}

/// The sizes of an attention layer.
#[derive(Clone, Copy, Debug)]
struct Attention {
    batch: usize,
    heads: usize,
    groups: usize,
    d_k: usize,
    /// The number of queries.
    n: usize,
    /// The number of keys, at least `n`.
    m: usize,
}

const ATTENTIONS: [Attention; 9] = [
    attention(1, (1, 1), 1, (1, 1)),
    attention(1, (2, 1), 3, (1, 7)),
    attention(2, (4, 2), 5, (3, 3)),
    attention(3, (6, 3), 12, (1, 9)),
    attention(1, (8, 8), 32, (5, 13)),
    attention(2, (3, 1), 7, (11, 17)),
    attention(1, (4, 4), 16, (33, 33)),
    attention(1, (12, 12), 64, (65, 129)),
    attention(1, (8, 2), 20, (131, 131)),
];

const fn attention(
    batch: usize,
    (heads, groups): (usize, usize),
    d_k: usize,
    (n, m): (usize, usize),
) -> Attention {
    Attention {
        batch,
        heads,
        groups,
        d_k,
        n,
        m,
    }
}

impl Attention {
    /// Returns the index of a head's first value in `[batch, positions, of * d_k]`.
    fn place(
        &self,
        sequence: usize,
        positions: usize,
        position: usize,
        of: usize,
        head: usize,
    ) -> usize {
        ((sequence * positions + position) * of + head) * self.d_k
    }

    /// Iterates over every sequence, head and query, in the order of the results, with the head's group.
    fn queries(self) -> impl Iterator<Item = (usize, usize, usize, usize)> {
        (0..self.batch).flat_map(move |sequence| {
            (0..self.heads).flat_map(move |head| {
                let group = head * self.groups / self.heads;
                (0..self.n).map(move |query| (sequence, head, group, query))
            })
        })
    }
}

fn attention_weights() -> f64 {
    worst(ATTENTIONS.map(|sizes| {
        let Attention {
            batch,
            heads,
            groups,
            d_k,
            n,
            m,
        } = sizes;
        let mut numbers = Numbers::new(n + m);
        let query = numbers.take(batch * n * heads * d_k);
        let key = numbers.take(batch * m * groups * d_k);
        // Scores of several units.
        let query: Vec<f32> = query.iter().map(|value| value * 8.0).collect();
        let (wide_query, wide_key) = (Matrix::new(&query, d_k), Matrix::new(&key, d_k));
        worst([false, true].map(|causal| {
            let query = matrix(&query, heads * d_k).reshape([batch, n, heads * d_k]);
            let key = matrix(&key, groups * d_k).reshape([batch, m, groups * d_k]);
            let Some(found) = kernels::attention_weights(&query, &key, heads, causal) else {
                return f64::INFINITY;
            };
            let expected: Vec<f64> = sizes
                .queries()
                .flat_map(|(sequence, head, group, i)| {
                    let q = wide_query.row(sizes.place(sequence, n, i, heads, head) / d_k);
                    let scores: Vec<f64> = (0..m)
                        .map(|j| {
                            let k = wide_key.row(sizes.place(sequence, m, j, groups, group) / d_k);
                            reference::dot(q, k) / (d_k as f64).sqrt()
                        })
                        .collect();
                    reference::softmax(&scores, if causal { m - n + i + 1 } else { m })
                })
                .collect();
            error(&read(found), &expected)
        }))
    }))
}

/// Returns the error for scores so far apart that their exponentials range from the largest f32 to zero.
fn softmax() -> f64 {
    worst([1, 2, 3, 4, 5, 7, 8, 13, 64, 257].map(|m| {
        let n = m.min(5);
        let numbers = Numbers::new(m).take(3 * n * m);
        worst([1.0, 50.0, 400.0].map(|scale| {
            let scores: Vec<f32> = numbers.iter().map(|value| value * scale).collect();
            let tensor = matrix(&scores, m).reshape([1, 3, n, m]);
            worst([false, true].map(|causal| {
                let Some(found) = kernels::softmax(tensor.clone(), causal) else {
                    return f64::INFINITY;
                };
                let expected: Vec<f64> = Matrix::new(&scores, m)
                    .rows()
                    .enumerate()
                    .flat_map(|(row, scores)| {
                        let visible = if causal { m - n + row % n + 1 } else { m };
                        reference::softmax(scores, visible)
                    })
                    .collect();
                error(&read(found), &expected)
            }))
        }))
    }))
}

fn weighted_values() -> f64 {
    worst(ATTENTIONS.map(|sizes| {
        let Attention {
            batch,
            heads,
            groups,
            d_k,
            n,
            m,
        } = sizes;
        let mut numbers = Numbers::new(n + m);
        let weights = numbers.take(batch * heads * n * m);
        let value = numbers.take(batch * m * groups * d_k);
        let found = kernels::weighted_values(
            &matrix(&weights, m).reshape([batch, heads, n, m]),
            &matrix(&value, groups * d_k).reshape([batch, m, groups * d_k]),
            d_k,
        );
        let Some(found) = found else {
            return f64::INFINITY;
        };
        let wide_weights = Matrix::new(&weights, m);
        let expected: Vec<f64> = sizes
            .queries()
            .zip(wide_weights.rows())
            .flat_map(|((sequence, _, group, _), weights)| {
                let value = &value;
                (0..d_k).map(move |dimension| {
                    let v = |j| value[sizes.place(sequence, m, j, groups, group) + dimension];
                    (0..m).map(|j| weights[j] * f64::from(v(j))).sum()
                })
            })
            .collect();
        error(&read(found), &expected)
    }))
}

/// Numbers of rows and their widths, for the operations on rows.
const ROWS: [[usize; 2]; 10] = [
    [1, 1],
    [1, 2],
    [3, 3],
    [2, 4],
    [5, 7],
    [3, 20],
    [7, 63],
    [11, 257],
    [33, 768],
    [129, 1031],
];

fn norms() -> f64 {
    const EPSILON: f64 = 1e-3;
    let device = Device::flex();
    worst(ROWS.map(|[rows, width]| {
        let mut numbers = Numbers::new(rows + width);
        let x: Vec<f32> = numbers
            .take(rows * width)
            .iter()
            .map(|x| x * 4.0 + 1.0)
            .collect();
        let (gamma, beta) = (numbers.take(width), numbers.take(width));
        let vector = |values: &[f32]| Param::from_tensor(matrix(values, width).flatten(0, 1));
        let mut rms = RmsNormConfig::new(width)
            .with_epsilon(EPSILON)
            .init(&device);
        rms.gamma = vector(&gamma);
        let mut layer = LayerNormConfig::new(width).init(&device);
        layer.gamma = vector(&gamma);
        layer.beta = Some(vector(&beta));
        let states = || matrix(&x, width).unsqueeze();
        let found_rms = read(kernels::rms_norm(states(), &rms));
        let found_layer = read(kernels::layer_norm(states(), &layer, EPSILON));

        let wide = Matrix::new(&x, width);
        let (gamma, beta) = (
            Matrix::new(&gamma, width).values,
            Matrix::new(&beta, width).values,
        );
        let expected_rms: Vec<f64> = wide
            .rows()
            .flat_map(|row| reference::norm(row, 0.0, EPSILON, &gamma, None))
            .collect();
        let expected_layer: Vec<f64> = wide
            .rows()
            .flat_map(|row| {
                let mean = row.iter().sum::<f64>() / width as f64;
                reference::norm(row, mean, EPSILON, &gamma, Some(&beta))
            })
            .collect();
        error(&found_rms, &expected_rms).max(error(&found_layer, &expected_layer))
    }))
}

fn swiglu() -> f64 {
    worst(ROWS.map(|[rows, width]| {
        let mut numbers = Numbers::new(rows + width);
        // To where the exponential leaves f32.
        let gate: Vec<f32> = numbers
            .take(rows * width)
            .iter()
            .map(|x| x * 200.0)
            .collect();
        let up = numbers.take(rows * width);
        let states = |values: &[f32]| matrix(values, width).unsqueeze::<3>();
        let found = read(kernels::swiglu(states(&gate), states(&up)));
        let expected: Vec<f64> = gate
            .iter()
            .zip(&up)
            .map(|(&gate, &up)| f64::from(gate) / (1.0 + (-f64::from(gate)).exp()) * f64::from(up))
            .collect();
        error(&found, &expected)
    }))
}

fn rotate() -> f64 {
    worst(
        [(1, 1, 2), (3, 5, 6), (1, 4, 12), (13, 3, 14), (65, 12, 64)].map(
            |(length, heads, d_k)| {
                let (batch, half) = (2, d_k / 2);
                let mut numbers = Numbers::new(length + heads);
                let x = numbers.take(batch * length * heads * d_k);
                let (cosine, sine) = (numbers.take(length * d_k), numbers.take(length * d_k));
                let found = kernels::rotate(
                    matrix(&x, heads * d_k).reshape([batch, length, heads * d_k]),
                    matrix(&cosine, d_k),
                    matrix(&sine, d_k),
                    heads,
                );
                let expected: Vec<f64> = (0..x.len())
                    .map(|index| {
                        let (start, place) = (index / d_k * d_k, index % d_k);
                        let angle = index / (heads * d_k) % length * d_k + place;
                        let other = x[start + (place + half) % d_k];
                        let turned = if place < half { -other } else { other };
                        f64::from(x[index]) * f64::from(cosine[angle])
                            + f64::from(turned) * f64::from(sine[angle])
                    })
                    .collect();
                error(&read(found), &expected)
            },
        ),
    )
}

fn log_sum_exp() -> f64 {
    worst([1, 2, 3, 4, 5, 9, 31, 64, 1031].map(|length| {
        let numbers = Numbers::new(length).take(length);
        worst([1.0, 60.0, 1e4].map(|scale| {
            let row: Vec<f32> = numbers.iter().map(|value| value * scale).collect();
            let largest = f64::from(row.iter().copied().fold(f32::MIN, f32::max));
            let sum: f64 = row.iter().map(|&x| (f64::from(x) - largest).exp()).sum();
            error(&[kernels::log_sum_exp(&row)], &[largest + sum.ln()])
        }))
    }))
}

/// Returns the tensor of rows of `columns` values.
fn matrix(values: &[f32], columns: usize) -> Tensor<2> {
    let shape = [values.len() / columns, columns];
    Tensor::from_data(TensorData::new(values.to_vec(), shape), &Device::flex())
}

/// Reads a tensor; returns nothing if that fails.
#[expect(clippy::disallowed_methods, reason = "`error` detects it")]
fn read<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().unwrap_or_default()
}

/// Returns the largest error, relative if the right value is above one; infinite if a value is missing or NaN.
fn error(found: &[f32], expected: &[f64]) -> f64 {
    if found.len() != expected.len() {
        return f64::INFINITY;
    }
    let errors = found
        .iter()
        .zip(expected)
        .map(|(&found, &expected)| (f64::from(found) - expected).abs() / expected.abs().max(1.0));
    worst(errors)
}

/// Returns the largest error; infinite if one is NaN.
fn worst(errors: impl IntoIterator<Item = f64>) -> f64 {
    errors.into_iter().fold(0.0, |worst, error| {
        if error.is_nan() {
            f64::INFINITY
        } else {
            worst.max(error)
        }
    })
}

/// Numbers in [−½, ½) that look random and are the same every time.
struct Numbers(u32);

impl Numbers {
    fn new(seed: usize) -> Self {
        Numbers(seed as u32 + 1)
    }

    /// Returns the next `count` numbers by Marsaglia's xorshift (2003).
    fn take(&mut self, count: usize) -> Vec<f32> {
        (0..count)
            .map(|_| {
                self.0 ^= self.0 << 13;
                self.0 ^= self.0 >> 17;
                self.0 ^= self.0 << 5;
                (self.0 >> 8) as f32 / (1 << 24) as f32 - 0.5
            })
            .collect()
    }
}
