//! Products with a matrix that is stored in blocks of small integers.
//!
//! A few rows are multiplied by the codes as they are unpacked, so that they read no more memory than the stored matrix
//! takes. For many rows, a tile of columns is unpacked once and multiplied as f32.

use std::cell::RefCell;

use attention_gguf::Coding;

use super::columns::{COLUMNS, multiply_tile};
use super::{Matrix, chunk};
use crate::kernels::cpu::lanes::{LANES, Lanes};
use crate::kernels::cpu::parallel::{Shared, for_each};

/// The number of rows up to which codes are unpacked for each product anew.
pub const FEW_ROWS: usize = 4;
/// The number of vectors in the longest block.
const MOST_VECTORS: usize = 32 / LANES;

/// A matrix in blocks, to be read as its transpose: `weight = scale·code + offset`, with one scale and one offset for
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
struct Line<'a> {
    codes: &'a [u8],
    scales: &'a [f32],
    offsets: &'a [f32],
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

/// `A·Bᵀ` with `A` of `m` rows and `B` of `n` lines; `result` is `[m, n]`.
pub fn multiply(m: usize, n: usize, a: Matrix<'_>, b: Blocks<'_>, result: &mut [f32]) {
    match b.coding {
        Coding::Nibbles => multiply_in::<Nibbles>(m, n, a, b, result),
        Coding::Bytes => multiply_in::<Bytes<32>>(m, n, a, b, result),
        Coding::ShortBytes => multiply_in::<Bytes<16>>(m, n, a, b, result),
    }
}

/// Writes the weights of all lines as f32.
pub fn unpack(b: Blocks<'_>, out: &mut [f32]) {
    let unpack_line = match b.coding {
        Coding::Nibbles => unpack_line::<Nibbles>,
        Coding::Bytes => unpack_line::<Bytes<32>>,
        Coding::ShortBytes => unpack_line::<Bytes<16>>,
    };
    let lines = out.len() / b.width.max(1);
    let chunk = chunk(lines, b.width);
    let shared = Shared::new(out);
    for_each(lines.div_ceil(chunk), lines * b.width, |task| {
        for index in task * chunk..lines.min((task + 1) * chunk) {
            // SAFETY: every task has lines of its own.
            #[allow(unsafe_code)]
            let line = unsafe { shared.part(index * b.width, b.width) };
            unpack_line(b.line(index), line);
        }
    });
}

fn multiply_in<U: Unpack>(m: usize, n: usize, a: Matrix<'_>, b: Blocks<'_>, result: &mut [f32]) {
    let chunk = chunk(n, m * b.width);
    let shared = Shared::new(result);
    let put = |row: usize, column: usize, value: f32| {
        // SAFETY: every task has columns of its own.
        #[allow(unsafe_code)]
        let out = unsafe { shared.part(row * n + column, 1) };
        out[0] = value;
    };
    let sums = match m <= FEW_ROWS && !b.offsets.is_empty() {
        true => block_sums::<U>(m, a, b.width),
        false => Vec::new(),
    };
    for_each(n.div_ceil(chunk), m * b.width * n, |task| {
        let columns = task * chunk..n.min((task + 1) * chunk);
        match m <= FEW_ROWS {
            true => {
                for column in columns {
                    let line = b.line(column);
                    for row in 0..m {
                        let values = a.line(row, b.width);
                        let product = dot::<U>(values, line) + offset(&sums, row, line);
                        put(row, column, product);
                    }
                }
            }
            false => ROOM.with_borrow_mut(|room| {
                room.resize(COLUMNS * b.width, 0.0);
                for first in columns.clone().step_by(COLUMNS) {
                    let count = COLUMNS.min(columns.end - first);
                    for (index, out) in room.chunks_exact_mut(b.width).enumerate() {
                        unpack_line::<U>(b.line(first + index.min(count - 1)), out);
                    }
                    let lines = std::array::from_fn(|i| &room[i * b.width..][..b.width]);
                    multiply_tile(m, a, lines, |row, values: [f32; COLUMNS]| {
                        for (index, value) in values.into_iter().enumerate().take(count) {
                            put(row, first + index, value);
                        }
                    });
                }
            }),
        }
    });
}

thread_local! {
    /// The buffer of an unpacked tile, kept from one product to the next.
    static ROOM: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
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

/// Computes `Σ offset·Σ x` of a row, given the sums of its values by blocks.
fn offset(sums: &[f32], row: usize, line: Line<'_>) -> f32 {
    let blocks = line.offsets.len();
    let sums = &sums[row * blocks..][..blocks];
    line.offsets.iter().zip(sums).map(|(a, b)| a * b).sum()
}

/// Returns the sums of the values of each row by blocks, `[m, blocks]`.
fn block_sums<U: Unpack>(m: usize, a: Matrix<'_>, width: usize) -> Vec<f32> {
    let row = |row| a.line(row, width).chunks_exact(U::WIDTH);
    let sums = (0..m).flat_map(row);
    sums.map(|block| block.iter().sum()).collect()
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
            multiply(m, n, a, b, &mut result);

            let mut lines = vec![f32::NAN; n * width];
            unpack(b, &mut lines);
            for (column, line) in lines.chunks_exact(width).enumerate() {
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
                }
            }
        }
    }
}
