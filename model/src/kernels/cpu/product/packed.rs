//! Products with a matrix that is stored in fewer bits than f32, to be read as its transpose.
//!
//! A few rows are multiplied by the weights as they are widened, so that they read no more memory than the stored matrix
//! takes. For many rows, a tile of columns is widened once and multiplied as f32.

use std::cell::RefCell;

use super::columns::{COLUMNS, multiply_tile};
use super::{Matrix, chunk};
use crate::kernels::cpu::parallel::{Shared, for_each};

/// The number of rows up to which weights are widened for each product anew.
pub const FEW_ROWS: usize = 4;

/// The lines of a stored matrix, each the weights of one column of the product.
pub trait Lines: Sync {
    /// Returns the number of weights in a line.
    fn width(&self) -> usize;

    /// Returns the sums of a row's values that its products with all lines share; empty if they need none.
    fn sums(&self, values: &[f32]) -> Vec<f32>;

    /// Computes the scalar product of a row with a line, given the row's sums.
    fn dot(&self, values: &[f32], sums: &[f32], line: usize) -> f32;

    /// Writes the weights of a line as f32.
    fn unpack(&self, line: usize, out: &mut [f32]);
}

/// `A·Bᵀ` with `A` of `m` rows and `B` of `n` lines; `result` is `[m, n]`.
pub fn multiply(m: usize, n: usize, a: Matrix<'_>, b: &impl Lines, result: &mut [f32]) {
    let width = b.width();
    let chunk = chunk(n, m * width);
    let shared = Shared::new(result);
    let put = |row: usize, column: usize, value: f32| {
        // SAFETY: every task has columns of its own.
        #[allow(unsafe_code)]
        let out = unsafe { shared.part(row * n + column, 1) };
        out[0] = value;
    };
    let few = if m <= FEW_ROWS { m } else { 0 };
    let sums: Vec<Vec<f32>> = (0..few).map(|row| b.sums(a.line(row, width))).collect();
    for_each(n.div_ceil(chunk), m * width * n, |task| {
        let columns = task * chunk..n.min((task + 1) * chunk);
        match m <= FEW_ROWS {
            true => {
                for column in columns {
                    for (row, sums) in sums.iter().enumerate() {
                        put(row, column, b.dot(a.line(row, width), sums, column));
                    }
                }
            }
            false => ROOM.with_borrow_mut(|room| {
                room.resize(COLUMNS * width, 0.0);
                for first in columns.clone().step_by(COLUMNS) {
                    let count = COLUMNS.min(columns.end - first);
                    for (index, out) in room.chunks_exact_mut(width).enumerate() {
                        b.unpack(first + index.min(count - 1), out);
                    }
                    let lines = std::array::from_fn(|i| &room[i * width..][..width]);
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

/// Writes the weights of lines as f32, from line `first` on.
pub fn unpack(first: usize, b: &impl Lines, out: &mut [f32]) {
    let width = b.width();
    let lines = out.len() / width.max(1);
    let chunk = chunk(lines, width);
    let shared = Shared::new(out);
    for_each(lines.div_ceil(chunk), lines * width, |task| {
        for index in task * chunk..lines.min((task + 1) * chunk) {
            // SAFETY: every task has lines of its own.
            #[allow(unsafe_code)]
            let line = unsafe { shared.part(index * width, width) };
            b.unpack(first + index, line);
        }
    });
}

thread_local! {
    /// The buffer of a widened tile, kept from one product to the next.
    static ROOM: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
}
