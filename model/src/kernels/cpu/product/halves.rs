//! Matrices of floats of 16 bits, line by line.

use attention_gguf::Half;

use super::packed::Lines;
use crate::kernels::cpu::lanes::{LANES, Lanes, bf16_to_f32, f16_to_f32};
use crate::kernels::cpu::wide::Wide;

/// The number of vectors that are multiplied at once, which hides the latency of additions.
const STREAMS: usize = 4;

/// A matrix of floats of 16 bits.
#[derive(Clone, Copy)]
pub struct Halves<'a> {
    /// The number of weights in a line.
    pub width: usize,
    /// The format of the weights.
    pub half: Half,
    /// The weights, line after line; a line of odd width ends with an unused one.
    pub values: &'a [u16],
}

impl<'a> Halves<'a> {
    fn line(&self, index: usize) -> &'a [u16] {
        &self.values[index * self.width.next_multiple_of(2)..][..self.width]
    }
}

impl Lines for Halves<'_> {
    fn width(&self) -> usize {
        self.width
    }

    fn sums(&self, _values: &[f32]) -> Vec<f32> {
        vec![]
    }

    fn dot(&self, values: &[f32], _sums: &[f32], line: usize) -> f32 {
        let line = self.line(line);
        match (Wide::detect(), self.half) {
            (Some(wide), half) => wide.dot_halves(half, values, line),
            (None, Half::F16) => dot::<F16>(values, line),
            (None, Half::Bf16) => dot::<Bf16>(values, line),
        }
    }

    fn unpack(&self, line: usize, out: &mut [f32]) {
        let line = self.line(line);
        match (Wide::detect(), self.half) {
            (Some(wide), half) => wide.unpack_halves(half, line, out),
            (None, Half::F16) => unpack::<F16>(line, out),
            (None, Half::Bf16) => unpack::<Bf16>(line, out),
        }
    }
}

/// A format of floats of 16 bits, known at compile time.
trait Widen {
    /// Returns a float of 16 bits as f32.
    fn value(bits: u16) -> f32;

    /// Returns four floats of 16 bits as f32.
    fn vector(bits: &[u16; LANES]) -> Lanes;
}

/// The format [`Half::F16`] at compile time.
struct F16;

impl Widen for F16 {
    #[inline(always)]
    fn value(bits: u16) -> f32 {
        f16_to_f32(bits)
    }

    #[inline(always)]
    fn vector(bits: &[u16; LANES]) -> Lanes {
        Lanes::from_f16(bits)
    }
}

/// The format [`Half::Bf16`] at compile time.
struct Bf16;

impl Widen for Bf16 {
    #[inline(always)]
    fn value(bits: u16) -> f32 {
        bf16_to_f32(bits)
    }

    #[inline(always)]
    fn vector(bits: &[u16; LANES]) -> Lanes {
        Lanes::from_bf16(bits)
    }
}

#[inline(always)]
fn dot<W: Widen>(values: &[f32], line: &[u16]) -> f32 {
    let (vectors, rest) = values.as_chunks::<LANES>();
    let (halves, last) = line.as_chunks::<LANES>();
    let mut sums = [Lanes::splat(0.0); STREAMS];
    let groups = vectors.chunks(STREAMS).zip(halves.chunks(STREAMS));
    for (vectors, halves) in groups {
        for ((sum, vector), halves) in sums.iter_mut().zip(vectors).zip(halves) {
            *sum = sum.add_product(W::vector(halves), Lanes::load(vector));
        }
    }
    let [a, b, c, d] = sums;
    let products = rest
        .iter()
        .zip(last)
        .map(|(value, &bits)| value * W::value(bits));
    ((a + b) + (c + d)).sum() + products.sum::<f32>()
}

#[inline(always)]
fn unpack<W: Widen>(line: &[u16], out: &mut [f32]) {
    let (halves, last) = line.as_chunks::<LANES>();
    let (vectors, rest) = out.as_chunks_mut::<LANES>();
    for (vector, halves) in vectors.iter_mut().zip(halves) {
        W::vector(halves).store(vector);
    }
    for (value, &bits) in rest.iter_mut().zip(last) {
        *value = W::value(bits);
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{bf16, f16};
    use proptest::prelude::*;

    use super::*;
    use crate::kernels::cpu::product::{Matrix, packed};

    /// Returns a weight by the definition of its format.
    fn widened(half: Half, bits: u16) -> f32 {
        match half {
            Half::F16 => f16::from_bits(bits).to_f32(),
            Half::Bf16 => bf16::from_bits(bits).to_f32(),
        }
    }

    #[test]
    fn every_float_of_16_bits_is_widened_to_its_value() {
        let all: Vec<u16> = (0..=u16::MAX).collect();
        for half in [Half::F16, Half::Bf16] {
            let matrix = Halves {
                width: all.len(),
                half,
                values: &all,
            };
            let mut found = vec![0.0; all.len()];
            let mut portable = vec![0.0; all.len()];
            matrix.unpack(0, &mut found);
            match half {
                Half::F16 => unpack::<F16>(&all, &mut portable),
                Half::Bf16 => unpack::<Bf16>(&all, &mut portable),
            }
            for (&bits, found) in all.iter().zip(found).chain(all.iter().zip(portable)) {
                let expected = widened(half, bits);
                let is_same = found.to_bits() == expected.to_bits();
                assert!(
                    is_same || (found.is_nan() && expected.is_nan()),
                    "{bits:#06x}"
                );
            }
        }
    }

    proptest! {
        #[test]
        fn products_are_those_of_the_widened_weights(
            m in 1_usize..9,
            n in 1_usize..20,
            width in 1_usize..75,
            wider in 0_usize..3,
            is_brain: bool,
            seed: u32,
        ) {
            let noise = |length: usize, salt: u32| -> Vec<u32> {
                let number = |i: u32| (i ^ seed).wrapping_add(salt).wrapping_mul(2_654_435_761);
                (0..length as u32).map(|i| number(i) >> 8).collect()
            };
            let half = if is_brain { Half::Bf16 } else { Half::F16 };
            // f16: from subnormal numbers to about ±2; bf16: the same exponents.
            let limit = if is_brain { |bits: u32| (bits & 0x83ff) | 0x3c00 } else { |bits: u32| bits & 0xbfff };
            let halves: Vec<u16> = noise(n * width.next_multiple_of(2), 7).into_iter().map(|bits| limit(bits) as u16).collect();
            let b = Halves { width, half, values: &halves };
            let values: Vec<f32> = noise(m * (width + wider), 3).into_iter().map(|i| (i % 4096) as f32 / 2048.0 - 1.0).collect();
            let a = Matrix { values: &values, stride: width + wider, transposed: false };
            let mut result = vec![f32::NAN; m * n];
            packed::multiply(m, n, a, &b, &mut result);
            for row in 0..m {
                let values = a.line(row, width);
                for column in 0..n {
                    let line = b.line(column).iter().map(|&bits| f64::from(widened(half, bits)));
                    let products = values.iter().zip(line).map(|(&a, b)| f64::from(a) * b);
                    let expected: f64 = products.clone().sum();
                    let size: f64 = products.map(f64::abs).sum();
                    let found = f64::from(result[row * n + column]);
                    prop_assert!((found - expected).abs() <= 1e-5 * size, "{found} {expected}");
                    let portable = f64::from(match half {
                        Half::F16 => dot::<F16>(values, b.line(column)),
                        Half::Bf16 => dot::<Bf16>(values, b.line(column)),
                    });
                    prop_assert!((portable - expected).abs() <= 1e-5 * size, "{portable} {expected}");
                }
            }
        }
    }
}
