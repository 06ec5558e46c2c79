//! Many rows times a row-major matrix, in the block structure of Goto and van de Geijn, "Anatomy of
//! High-Performance Matrix Multiplication" (2008): a strip of the right matrix stays in the first cache
//! while all rows of the left one pass over it, and a tile of the result stays in registers.

use std::cell::RefCell;

use super::{Matrix, chunk};
use crate::kernels::cpu::lanes::{LANES, Lanes};
use crate::kernels::cpu::parallel::{Shared, for_each};

/// Rows of a tile of the result.
const TILE_ROWS: usize = 4;
/// Columns of a tile of the result: two vectors.
const TILE_COLUMNS: usize = 2 * LANES;
/// The number of strips packed together: four cache lines of each row, since rows are far apart in memory. They take 96
/// KiB, which fits a second cache.
const STRIPS: usize = 8;
/// Depth of a strip: one is 12 KiB, which a first cache of 32 KiB holds beside the left matrix's rows.
const DEPTH: usize = 384;

/// Columns of the right matrix, packed.
type Strip = [[f32; TILE_COLUMNS]; DEPTH];

thread_local! {
    /// The buffer of packed strips, kept from one product to the next: clearing it takes longer than a small product.
    static STRIPS_ROOM: RefCell<Vec<Strip>> = RefCell::new(vec![[[0.0; TILE_COLUMNS]; DEPTH]; STRIPS]);
}

/// `A·B` with `A` of `m` rows of `k` values and `B` of `n` columns.
pub fn multiply(m: usize, k: usize, n: usize, a: Matrix<'_>, b: Matrix<'_>, result: &mut [f32]) {
    let left = pack_left(m, k, a);
    let chunk = chunk(n, m * k);
    let shared = Shared::new(result);
    for_each(n.div_ceil(chunk), m * k * n, |task| {
        let columns = task * chunk..n.min((task + 1) * chunk);
        STRIPS_ROOM.with_borrow_mut(|strips| {
            for start in (0..k).step_by(DEPTH) {
                let depth = DEPTH.min(k - start);
                let left = &left[start * m.div_ceil(TILE_ROWS)..];
                for first in columns.clone().step_by(STRIPS * TILE_COLUMNS) {
                    pack_strips(b, start, depth, first, columns.end, strips);
                    for (index, strip) in strips.iter().enumerate() {
                        let column = first + index * TILE_COLUMNS;
                        if column >= columns.end {
                            break;
                        }
                        let width = TILE_COLUMNS.min(columns.end - column);
                        // SAFETY: every task has columns of its own.
                        #[allow(unsafe_code)]
                        let out = |row: usize| unsafe { shared.part(row * n + column, width) };
                        times_strip(m, left, &strip[..depth], out, start > 0);
                    }
                }
            }
        });
    });
}

/// Multiplies all rows of the left matrix by one strip; `out` receives a row's values, or has them added.
#[inline(always)]
fn times_strip<'a>(
    m: usize,
    left: &[[f32; TILE_ROWS]],
    strip: &[[f32; TILE_COLUMNS]],
    out: impl Fn(usize) -> &'a mut [f32],
    add: bool,
) {
    let depth = strip.len();
    for (tile, first) in (0..m).step_by(TILE_ROWS).enumerate() {
        let sums = tile_product(&left[tile * depth..][..depth], strip);
        for (i, sums) in sums.iter().enumerate().take(m - first) {
            put(sums, out(first + i), add);
        }
    }
}

/// Stores a row of a tile, or adds it to the results of earlier strips.
#[inline(always)]
fn put(sums: &[Lanes; 2], out: &mut [f32], add: bool) {
    if let ([first, second], []) = out.as_chunks_mut::<LANES>() {
        for (sum, out) in sums.iter().zip([first, second]) {
            let sum = if add { *sum + Lanes::load(out) } else { *sum };
            sum.store(out);
        }
        return;
    }
    let mut values = [[0.0; LANES]; 2];
    for (sum, values) in sums.iter().zip(&mut values) {
        sum.store(values);
    }
    for (out, value) in out.iter_mut().zip(values.as_flattened()) {
        *out = if add { *out + value } else { *value };
    }
}

/// Computes a tile of the result; the inner loop of the product.
#[inline(always)]
fn tile_product(
    left: &[[f32; TILE_ROWS]],
    right: &[[f32; TILE_COLUMNS]],
) -> [[Lanes; 2]; TILE_ROWS] {
    let mut sums = [[Lanes::splat(0.0); 2]; TILE_ROWS];
    for (left, right) in left.iter().zip(right) {
        let (halves, _) = right.as_chunks::<LANES>();
        let (first, second) = (Lanes::load(&halves[0]), Lanes::load(&halves[1]));
        for (sums, &value) in sums.iter_mut().zip(left) {
            let value = Lanes::splat(value);
            sums[0] = sums[0].add_product(value, first);
            sums[1] = sums[1].add_product(value, second);
        }
    }
    sums
}

/// Packs the left matrix in the order in which tiles read it: per strip depth, per tile, `TILE_ROWS` values for each
/// step. Rows past the last are zero.
fn pack_left(m: usize, k: usize, a: Matrix<'_>) -> Vec<[f32; TILE_ROWS]> {
    let tiles = m.div_ceil(TILE_ROWS);
    let mut packed = vec![[0.0; TILE_ROWS]; tiles * k];
    let mut rest = packed.as_mut_slice();
    for start in (0..k).step_by(DEPTH) {
        let depth = DEPTH.min(k - start);
        for tile in 0..tiles {
            let (steps, after) = rest.split_at_mut(depth);
            rest = after;
            for i in 0..TILE_ROWS.min(m - tile * TILE_ROWS) {
                let row = &a.values[(tile * TILE_ROWS + i) * a.stride + start..][..depth];
                for (step, &value) in steps.iter_mut().zip(row) {
                    step[i] = value;
                }
            }
        }
    }
    packed
}

/// Packs the columns of the right matrix from `column` on, strip by strip, rows `start..start + depth`; columns from
/// `end` on are zero.
fn pack_strips(
    b: Matrix<'_>,
    start: usize,
    depth: usize,
    column: usize,
    end: usize,
    strips: &mut [Strip],
) {
    const WIDTH: usize = STRIPS * TILE_COLUMNS;
    let width = WIDTH.min(end - column);
    for step in 0..depth {
        let row = &b.values[(start + step) * b.stride + column..][..width];
        let mut padded = [0.0; WIDTH];
        let whole = match row.first_chunk::<WIDTH>() {
            Some(row) => row,
            None => {
                padded[..width].copy_from_slice(row);
                &padded
            }
        };
        let (parts, _) = whole.as_chunks::<TILE_COLUMNS>();
        for (strip, part) in strips.iter_mut().zip(parts) {
            strip[step] = *part;
        }
    }
}
