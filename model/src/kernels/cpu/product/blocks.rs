//! Matrices in blocks of small integers, line by line.

use attention_gguf::Coding;

use super::packed::Lines;
use crate::kernels::cpu::lanes::{LANES, Lanes};
use crate::kernels::cpu::wide::Wide;

/// The number of vectors in the longest block.
const MOST_VECTORS: usize = 32 / LANES;

/// A matrix in blocks: `weight = scale·code + offset`, with one scale and one offset for
/// each block of a line.
#[derive(Clone, Copy)]
pub struct Blocks<'a> {
    /// The number of weights in a line.
    pub width: usize,
    /// The coding of the weights.
    pub coding: Coding,
    /// The codes, line after line.
    pub codes: &'a [u8],
    /// The scale of each block.
    pub scales: &'a [f32],
    /// The offset of each block; empty if all are zero.
    pub offsets: &'a [f32],
}

/// A line of [`Blocks`].
#[derive(Clone, Copy)]
pub struct Line<'a> {
    /// The codes, block after block.
    pub codes: &'a [u8],
    /// The scale of each block.
    pub scales: &'a [f32],
    /// The offset of each block; empty if all are zero.
    pub offsets: &'a [f32],
}

impl<'a> Blocks<'a> {
    fn line(&self, index: usize) -> Line<'a> {
        let blocks = self.width / self.coding.block();
        let bytes = blocks * self.coding.block_bytes();
        let offsets = match self.offsets {
            [] => &[],
            offsets => &offsets[index * blocks..][..blocks],
        };
        Line {
            codes: &self.codes[index * bytes..][..bytes],
            scales: &self.scales[index * blocks..][..blocks],
            offsets,
        }
    }
}

impl Lines for Blocks<'_> {
    fn width(&self) -> usize {
        self.width
    }

    fn sums(&self, values: &[f32]) -> Vec<f32> {
        match self.offsets {
            [] => vec![],
            _ => values
                .chunks_exact(self.coding.block())
                .map(|block| block.iter().sum())
                .collect(),
        }
    }

    fn dot(&self, values: &[f32], sums: &[f32], line: usize) -> f32 {
        let line = self.line(line);
        match Wide::detect() {
            Some(wide) => wide.dot_blocks(self.coding, values, sums, line),
            None => dot_portably(self.coding, values, sums, line),
        }
    }

    fn unpack(&self, line: usize, out: &mut [f32]) {
        let line = self.line(line);
        match Wide::detect() {
            Some(wide) => wide.unpack_blocks(self.coding, line, out),
            None => unpack_portably(self.coding, line, out),
        }
    }
}

fn dot_portably(coding: Coding, values: &[f32], sums: &[f32], line: Line<'_>) -> f32 {
    let product = match coding {
        Coding::Nibbles => dot::<Nibbles>(values, line),
        Coding::Bytes => dot::<Bytes<32>>(values, line),
        Coding::ShortBytes => dot::<Bytes<16>>(values, line),
    };
    let shift = line.offsets.iter().zip(sums).map(|(a, b)| a * b);
    product + shift.sum::<f32>()
}

fn unpack_portably(coding: Coding, line: Line<'_>, out: &mut [f32]) {
    match coding {
        Coding::Nibbles => unpack_line::<Nibbles>(line, out),
        Coding::Bytes => unpack_line::<Bytes<32>>(line, out),
        Coding::ShortBytes => unpack_line::<Bytes<16>>(line, out),
    }
}

/// The coding of a block, known at compile time.
trait Unpack {
    /// The number of codes in a block.
    const WIDTH: usize;
    /// The number of bytes that they take.
    const BYTES: usize;

    /// Returns the codes of a block; vectors past its width are not read.
    fn unpack(block: &[u8]) -> [Lanes; MOST_VECTORS];
}

/// The coding [`Coding::Nibbles`] at compile time.
struct Nibbles;

impl Unpack for Nibbles {
    const WIDTH: usize = 32;
    const BYTES: usize = 16;

    #[inline(always)]
    fn unpack(block: &[u8]) -> [Lanes; MOST_VECTORS] {
        let (halves, _) = block.as_chunks();
        Lanes::from_nibbles(&halves[0])
    }
}

/// The codings [`Coding::Bytes`] and [`Coding::ShortBytes`] at compile time.
struct Bytes<const WIDTH: usize>;

impl<const WIDTH: usize> Unpack for Bytes<WIDTH> {
    const WIDTH: usize = WIDTH;
    const BYTES: usize = WIDTH;

    #[inline(always)]
    fn unpack(block: &[u8]) -> [Lanes; MOST_VECTORS] {
        let (runs, _) = block.as_chunks();
        let mut codes = [Lanes::splat(0.0); MOST_VECTORS];
        for (run, codes) in runs.iter().zip(codes.chunks_exact_mut(LANES)) {
            codes.copy_from_slice(&Lanes::from_bytes(run));
        }
        codes
    }
}

/// Computes `Σ scale·Σ code·x`: the product without the offsets.
#[inline(always)]
fn dot<U: Unpack>(values: &[f32], line: Line<'_>) -> f32 {
    let mut total = Lanes::splat(0.0);
    let blocks = line.codes.chunks_exact(U::BYTES).zip(line.scales);
    for ((block, &scale), values) in blocks.zip(values.chunks_exact(U::WIDTH)) {
        let codes = U::unpack(block);
        let (values, _) = values.as_chunks::<LANES>();
        // Two sums at once hide the latency of additions.
        let mut even = codes[0] * Lanes::load(&values[0]);
        let mut odd = codes[1] * Lanes::load(&values[1]);
        for pair in 1..U::WIDTH / LANES / 2 {
            even = even.add_product(codes[2 * pair], Lanes::load(&values[2 * pair]));
            odd = odd.add_product(codes[2 * pair + 1], Lanes::load(&values[2 * pair + 1]));
        }
        total = total.add_product(Lanes::splat(scale), even + odd);
    }
    total.sum()
}

fn unpack_line<U: Unpack>(line: Line<'_>, out: &mut [f32]) {
    let blocks = line.codes.chunks_exact(U::BYTES).zip(line.scales);
    for (index, ((block, &scale), out)) in blocks.zip(out.chunks_exact_mut(U::WIDTH)).enumerate() {
        let offset = line.offsets.get(index).copied().unwrap_or(0.0);
        let (scale, offset) = (Lanes::splat(scale), Lanes::splat(offset));
        let codes = U::unpack(block);
        let (out, _) = out.as_chunks_mut::<LANES>();
        for (out, code) in out.iter_mut().zip(codes) {
            offset.add_product(scale, code).store(out);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::kernels::cpu::product::{Matrix, packed};

    /// Returns `length` bytes that look random.
    fn bytes(length: usize, seed: u32) -> Vec<u8> {
        let number = |i: u32| i.wrapping_add(seed).wrapping_mul(2_654_435_761) >> 13;
        (0..length as u32).map(|i| number(i) as u8).collect()
    }

    /// Returns `length` numbers between −½ and ½.
    fn noise(length: usize, seed: u32) -> Vec<f32> {
        let numbers = bytes(length * 2, seed);
        let (pairs, _) = numbers.as_chunks::<2>();
        let number = |&pair| f32::from(i16::from_le_bytes(pair)) / 65_536.0;
        pairs.iter().map(number).collect()
    }

    /// Returns a code by its definition.
    fn code(coding: Coding, codes: &[u8], place: usize) -> f64 {
        match coding {
            Coding::Nibbles => {
                let (block, within) = (place / 32, place % 32);
                let byte = codes[block * 16 + within % 16];
                f64::from(if within < 16 { byte & 15 } else { byte >> 4 }) - 8.0
            }
            Coding::Bytes | Coding::ShortBytes => f64::from(codes[place].cast_signed()),
        }
    }

    proptest! {
        #[test]
        fn products_are_those_of_the_unpacked_weights(
            m in 1usize..9,
            n in 1usize..40,
            blocks in 1usize..5,
            coding in prop_oneof![Just(Coding::Nibbles), Just(Coding::Bytes), Just(Coding::ShortBytes)],
            has_offsets: bool,
            wider in 0usize..3,
            seed: u32,
        ) {
            let width = blocks * coding.block();
            let codes = bytes(n * blocks * coding.block_bytes(), seed);
            let scales = noise(n * blocks, seed ^ 1);
            let offsets = if has_offsets { noise(n * blocks, seed ^ 2) } else { vec![] };
            let b = Blocks { width, coding, codes: &codes, scales: &scales, offsets: &offsets };
            let values = noise(m * (width + wider), seed ^ 3);
            let a = Matrix { values: &values, stride: width + wider, transposed: false };
            let mut result = vec![f32::NAN; m * n];
            packed::multiply(m, n, a, &b, &mut result);

            let mut lines = vec![f32::NAN; n * width];
            packed::unpack(0, &b, &mut lines);
            let mut portable = vec![f32::NAN; width];
            for (column, line) in lines.chunks_exact(width).enumerate() {
                unpack_portably(coding, b.line(column), &mut portable);
                for (one, other) in line.iter().zip(&portable) {
                    prop_assert!((one - other).abs() <= 1e-6 * one.abs().max(1.0));
                }
                for (place, &weight) in line.iter().enumerate() {
                    let block = (column * width + place) / coding.block();
                    let scale = f64::from(scales[block]);
                    let offset = f64::from(offsets.get(block).copied().unwrap_or(0.0));
                    let expected = scale * code(coding, &codes, column * width + place) + offset;
                    prop_assert!((f64::from(weight) - expected).abs() <= 1e-6 * expected.abs().max(1.0));
                }
                for row in 0..m {
                    let values = a.line(row, width);
                    let product = |(&a, &b): (&f32, &f32)| f64::from(a) * f64::from(b);
                    let expected: f64 = values.iter().zip(line).map(product).sum();
                    let size: f64 = values.iter().zip(line).map(product).map(f64::abs).sum();
                    let found = f64::from(result[row * n + column]);
                    prop_assert!((found - expected).abs() <= 1e-5 * size.max(1e-3), "{found} {expected}");
                    let portable = f64::from(dot_portably(coding, values, &b.sums(values), b.line(column)));
                    prop_assert!((portable - expected).abs() <= 1e-5 * size.max(1e-3), "{portable} {expected}");
                }
            }
        }
    }
}
