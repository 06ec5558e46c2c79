//! Products of matrices, for both layouts of the right one.

pub mod blocks;
mod columns;
pub mod halves;
mod one_row;
pub mod packed;
mod tiles;

use super::parallel::{WORTH_SHARING, threads};

/// A row-major matrix, perhaps a part of a wider one, perhaps to be read as its transpose.
#[derive(Clone, Copy)]
pub struct Matrix<'a> {
    /// The values, from the first of the first row on.
    pub values: &'a [f32],
    /// Distance between the starts of two rows in memory.
    pub stride: usize,
    /// True if rows in memory are columns of the matrix.
    pub transposed: bool,
}

impl<'a> Matrix<'a> {
    /// Returns the first `length` values of a row in memory.
    #[inline(always)]
    pub fn line(&self, index: usize, length: usize) -> &'a [f32] {
        &self.values[index * self.stride..][..length]
    }
}

/// `C = A·B` with `A` of `m` rows of `k` values and `B` of `n` columns; `result` is `[m, n]`.
pub fn multiply(m: usize, k: usize, n: usize, a: Matrix<'_>, b: Matrix<'_>, result: &mut [f32]) {
    debug_assert!(!a.transposed && result.len() == m * n);
    match (m, b.transposed) {
        (_, true) => columns::multiply(m, k, n, a, b, result),
        (1, false) => one_row::multiply(k, n, &a.values[..k], b, result),
        (_, false) => tiles::multiply(m, k, n, a, b, result),
    }
}

/// Returns the number of columns that one task takes: all of them for one thread, and for work too small to share.
fn chunk(columns: usize, work_per_column: usize) -> usize {
    /// The number of tasks per thread, so that a thread that starts late has less to do.
    const TASKS: usize = 4;
    /// The multiple to which the columns of a task are rounded: two strips.
    const WHOLE: usize = 16;
    let threads = threads();
    if threads == 1 {
        return columns.max(1);
    }
    let least = WORTH_SHARING.div_ceil(work_per_column.max(1));
    columns
        .div_ceil(threads * TASKS)
        .max(least)
        .next_multiple_of(WHOLE)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Computes the product by its definition, in f64.
    fn expected(m: usize, k: usize, n: usize, a: Matrix<'_>, b: Matrix<'_>) -> Vec<f64> {
        let b_at = |row: usize, column: usize| {
            let (line, place) = if b.transposed {
                (column, row)
            } else {
                (row, column)
            };
            f64::from(b.values[line * b.stride + place])
        };
        (0..m * n)
            .map(|index| {
                let (row, column) = (index / n, index % n);
                (0..k)
                    .map(|i| f64::from(a.values[row * a.stride + i]) * b_at(i, column))
                    .sum()
            })
            .collect()
    }

    fn noise(length: usize, seed: u32) -> Vec<f32> {
        (0..length as u32)
            .map(|i| {
                let bits = i
                    .wrapping_mul(2_654_435_761)
                    .wrapping_add(seed.wrapping_mul(40_503));
                (bits >> 8) as f32 / (1 << 24) as f32 - 0.5
            })
            .collect()
    }

    proptest! {
        #[test]
        fn products_are_those_of_the_definition(
            m in prop_oneof![1usize..20, 126usize..131],
            k in prop_oneof![1usize..40, 510usize..530],
            n in 1usize..40,
            transposed: bool,
            wider in 0usize..3,
            seed: u32,
        ) {
            let (lines, length) = if transposed { (n, k) } else { (k, n) };
            let a_values = noise(m * (k + wider), seed);
            let b_values = noise(lines * (length + wider), seed ^ 1);
            let a = Matrix { values: &a_values, stride: k + wider, transposed: false };
            let b = Matrix { values: &b_values, stride: length + wider, transposed };
            let mut result = vec![f32::NAN; m * n];
            multiply(m, k, n, a, b, &mut result);
            for (value, expected) in result.iter().zip(expected(m, k, n, a, b)) {
                prop_assert!((f64::from(*value) - expected).abs() < 1e-4);
            }
        }
    }
}
