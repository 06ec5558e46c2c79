//! Operations on each row of a matrix: softmax, normalisation, gates, rotation.

use super::lanes::{LANES, Lanes};

/// Computes the softmax of the first `visible` scores times `scale`, in place; the remaining ones become zero.
pub fn softmax(row: &mut [f32], visible: usize, scale: f32) {
    let (row, hidden) = row.split_at_mut(visible);
    hidden.fill(0.0);
    let shift = -scale
        * if scale < 0.0 {
            least(row)
        } else {
            largest(row)
        };
    let (vectors, rest) = row.as_chunks_mut::<LANES>();
    let (scales, shifts) = (Lanes::splat(scale), Lanes::splat(shift));
    let mut sums = Lanes::splat(0.0);
    for vector in vectors {
        let exponential = shifts.add_product(Lanes::load(vector), scales).exp();
        sums = sums + exponential;
        exponential.store(vector);
    }
    let mut sum = sums.sum();
    for value in rest {
        *value = (*value * scale + shift).exp();
        sum += *value;
    }
    multiply_by(row, 1.0 / sum);
}

/// `log Σ eˣ`, stable for large values.
pub fn log_sum_exp(row: &[f32]) -> f32 {
    let shift = largest(row);
    let (vectors, rest) = row.as_chunks::<LANES>();
    let shifts = Lanes::splat(-shift);
    let sums = vectors.iter().fold(Lanes::splat(0.0), |sums, vector| {
        sums + (Lanes::load(vector) + shifts).exp()
    });
    let rest: f32 = rest.iter().map(|value| (value - shift).exp()).sum();
    shift + (sums.sum() + rest).ln()
}

fn largest(row: &[f32]) -> f32 {
    let (vectors, rest) = row.as_chunks::<LANES>();
    let largest = vectors
        .iter()
        .fold(Lanes::splat(f32::NEG_INFINITY), |largest, vector| {
            largest.max(Lanes::load(vector))
        });
    rest.iter().copied().fold(largest.largest(), f32::max)
}

fn least(row: &[f32]) -> f32 {
    row.iter().copied().fold(f32::INFINITY, f32::min)
}

fn multiply_by(row: &mut [f32], factor: f32) {
    let (vectors, rest) = row.as_chunks_mut::<LANES>();
    let factors = Lanes::splat(factor);
    for vector in vectors {
        (Lanes::load(vector) * factors).store(vector);
    }
    for value in rest {
        *value *= factor;
    }
}

/// RMSNorm (Zhang and Sennrich 2019): `x / √(mean(x²) + ε) ⊙ γ`.
pub fn rms_norm(row: &[f32], gamma: &[f32], epsilon: f32, out: &mut [f32]) {
    let factor = 1.0 / (sum_of_squares(row, 0.0) / row.len() as f32 + epsilon).sqrt();
    affine(row, 0.0, factor, gamma, None, out);
}

/// Layer normalisation (Ba et al. 2016): `(x − mean) / √(variance + ε) ⊙ γ + β`.
pub fn layer_norm(row: &[f32], gamma: &[f32], beta: &[f32], epsilon: f32, out: &mut [f32]) {
    let mean = sum(row) / row.len() as f32;
    let variance = sum_of_squares(row, mean) / row.len() as f32;
    let factor = 1.0 / (variance + epsilon).sqrt();
    affine(row, mean, factor, gamma, Some(beta), out);
}

fn sum(row: &[f32]) -> f32 {
    let (vectors, rest) = row.as_chunks::<LANES>();
    let sums = vectors
        .iter()
        .fold(Lanes::splat(0.0), |sums, vector| sums + Lanes::load(vector));
    sums.sum() + rest.iter().sum::<f32>()
}

fn sum_of_squares(row: &[f32], mean: f32) -> f32 {
    let (vectors, rest) = row.as_chunks::<LANES>();
    let means = Lanes::splat(mean);
    let sums = vectors.iter().fold(Lanes::splat(0.0), |sums, vector| {
        let difference = Lanes::load(vector) - means;
        sums.add_product(difference, difference)
    });
    sums.sum() + rest.iter().map(|x| (x - mean).powi(2)).sum::<f32>()
}

/// `(x − mean)·factor ⊙ γ + β`.
fn affine(
    row: &[f32],
    mean: f32,
    factor: f32,
    gamma: &[f32],
    beta: Option<&[f32]>,
    out: &mut [f32],
) {
    for (index, out) in out.iter_mut().enumerate() {
        let shift = beta.map_or(0.0, |beta| beta[index]);
        *out = (row[index] - mean) * factor * gamma[index] + shift;
    }
}

/// SwiGLU's gate (Shazeer 2020): `gate·σ(gate) ⊙ up`.
pub fn swiglu(gate: &[f32], up: &[f32], out: &mut [f32]) {
    let (gates, gate_rest) = gate.as_chunks::<LANES>();
    let (ups, up_rest) = up.as_chunks::<LANES>();
    let (outs, out_rest) = out.as_chunks_mut::<LANES>();
    let (zero, one) = (Lanes::splat(0.0), Lanes::splat(1.0));
    for ((gate, up), out) in gates.iter().zip(ups).zip(outs) {
        let x = Lanes::load(gate);
        (x * Lanes::load(up) / (one + (zero - x).exp())).store(out);
    }
    for ((gate, up), out) in gate_rest.iter().zip(up_rest).zip(out_rest) {
        *out = gate * up / (1.0 + (-gate).exp());
    }
}

/// RoPE (Su et al. 2021) of one head: turns each pair `(i, i + d_k/2)` by its angle.
pub fn rotate(head: &[f32], cosine: &[f32], sine: &[f32], out: &mut [f32]) {
    let half = head.len() / 2;
    let (first, second) = head.split_at(half);
    let (out_first, out_second) = out.split_at_mut(half);
    for i in 0..half {
        out_first[i] = first[i] * cosine[i] - second[i] * sine[i];
        out_second[i] = second[i] * cosine[half + i] + first[i] * sine[half + i];
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows() -> impl Strategy<Value = Vec<f32>> {
        prop::collection::vec(-30f32..30.0, 1..40)
    }

    fn close(left: &[f32], right: &[f64]) -> bool {
        left.iter()
            .zip(right)
            .all(|(a, b)| (f64::from(*a) - b).abs() < 1e-5 * b.abs().max(1.0))
    }

    proptest! {
        #[test]
        fn log_sum_exp_is_that_of_the_standard_library(
            row in prop::collection::vec(-60f32..60.0, 1..70),
        ) {
            let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let terms = row.iter().map(|x| f64::from(x - largest).exp());
            let expected = f64::from(largest) + terms.sum::<f64>().ln();
            prop_assert!((f64::from(log_sum_exp(&row)) - expected).abs() < 1e-5);
        }

        #[test]
        fn softmax_is_that_of_the_definition(row in rows(), scale in -2f32..2.0, hidden in 0usize..4) {
            let visible = row.len();
            let exponentials: Vec<f64> =
                row.iter().map(|x| f64::from(x * scale).exp()).collect();
            let sum: f64 = exponentials.iter().sum();
            let expected: Vec<f64> = exponentials.iter().map(|e| e / sum).collect();
            let mut result = [row, vec![7.0; hidden]].concat();
            softmax(&mut result, visible, scale);
            prop_assert!(close(&result[..visible], &expected));
            prop_assert!(result[visible..].iter().all(|weight| *weight == 0.0));
        }

        #[test]
        fn norms_are_those_of_the_definitions(row in rows()) {
            let n = row.len() as f64;
            let gamma: Vec<f32> = (0..row.len()).map(|i| 0.5 + i as f32).collect();
            let beta: Vec<f32> = (0..row.len()).map(|i| 1.0 - i as f32).collect();
            let wide: Vec<f64> = row.iter().copied().map(f64::from).collect();
            let mean = wide.iter().sum::<f64>() / n;
            let variance = wide.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
            let square = wide.iter().map(|x| x * x).sum::<f64>() / n;
            let mut out = vec![0.0; row.len()];
            rms_norm(&row, &gamma, 1e-3, &mut out);
            let rms: Vec<f64> = wide.iter().zip(&gamma)
                .map(|(x, g)| x / (square + 1e-3).sqrt() * f64::from(*g)).collect();
            prop_assert!(close(&out, &rms));
            layer_norm(&row, &gamma, &beta, 1e-3, &mut out);
            let normal: Vec<f64> = wide.iter().zip(gamma.iter().zip(&beta))
                .map(|(x, (g, b))| (x - mean) / (variance + 1e-3).sqrt() * f64::from(*g) + f64::from(*b))
                .collect();
            // A mean is an f32 too: what it is rounded by is as large in numbers that hardly differ, and is divided by that.
            let largest = wide.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
            let rounding = largest * f64::from(f32::EPSILON) / (variance + 1e-3).sqrt();
            for (index, (found, expected)) in out.iter().zip(&normal).enumerate() {
                let bound = 1e-5 * expected.abs().max(1.0) + 2.0 * rounding * f64::from(gamma[index]);
                prop_assert!((f64::from(*found) - expected).abs() < bound, "{found} {expected}");
            }
        }

        #[test]
        fn a_gate_is_silu_times_up(row in rows()) {
            let up: Vec<f32> = row.iter().rev().copied().collect();
            let expected: Vec<f64> = row.iter().zip(&up)
                .map(|(g, u)| f64::from(*g) / (1.0 + (-f64::from(*g)).exp()) * f64::from(*u)).collect();
            let mut out = vec![0.0; row.len()];
            swiglu(&row, &up, &mut out);
            prop_assert!(close(&out, &expected));
        }

        #[test]
        fn turning_keeps_lengths(pairs in 1usize..9, angle in 0f32..6.3) {
            let head: Vec<f32> = (0..2 * pairs).map(|i| i as f32 - 2.0).collect();
            let (cosine, sine) = (vec![angle.cos(); 2 * pairs], vec![angle.sin(); 2 * pairs]);
            let mut out = vec![0.0; 2 * pairs];
            rotate(&head, &cosine, &sine, &mut out);
            for i in 0..pairs {
                let before = head[i].hypot(head[pairs + i]);
                prop_assert!((out[i].hypot(out[pairs + i]) - before).abs() < 1e-4);
            }
        }
    }
}
