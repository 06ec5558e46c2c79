//! Products of matrices, in the block structure of Goto and van de Geijn, "Anatomy of
//! High-Performance Matrix Multiplication" (2008): a strip of the right matrix stays in the first cache
//! while all rows of the left one pass over it, and a tile of the result stays in registers.

use std::cell::RefCell;

use super::lanes::{LANES, Lanes};
use super::parallel::{Shared, WORTH_SHARING, for_each, threads};

/// Rows of a tile of the result.
const TILE_ROWS: usize = 4;
/// Columns of a tile of the result: two vectors.
const TILE_COLUMNS: usize = 2 * LANES;
/// Strips packed together: four cache lines of each row, since weights come from memory and rows lie
/// far apart in it. They are 96 KiB, which a second cache holds.
const STRIPS: usize = 8;
/// Depth of a strip: one is 12 KiB, which a first cache of 32 KiB holds beside the left matrix's rows.
const DEPTH: usize = 384;
/// Rows of the right matrix that a single row is multiplied with at once.
const STREAMS: usize = 8;

/// Columns of the right matrix, packed.
type Strip = [[f32; TILE_COLUMNS]; DEPTH];

thread_local! {
    /// Where strips are packed, kept from one product to the next: clearing it takes longer than a small
    /// product.
    static STRIPS_ROOM: RefCell<Vec<Strip>> = RefCell::new(vec![[[0.0; TILE_COLUMNS]; DEPTH]; STRIPS]);
}

/// A row-major matrix, perhaps a part of a wider one, perhaps to be read as its transpose.
#[derive(Clone, Copy)]
pub struct Matrix<'a> {
    /// The values, from the first of the first row on.
    pub values: &'a [f32],
    /// Distance between the starts of two rows in memory.
    pub stride: usize,
    /// Whether rows in memory are columns of the matrix.
    pub transposed: bool,
}

/// `C = A·B` with `A` of `m` rows of `k` values and `B` of `n` columns; `result` is `[m, n]`.
pub fn multiply(m: usize, k: usize, n: usize, a: Matrix<'_>, b: Matrix<'_>, result: &mut [f32]) {
    debug_assert!(!a.transposed && result.len() == m * n);
    match (m, b.transposed) {
        (1, false) => row_times_rows(k, n, &a.values[..k], b, result),
        (1, true) => row_times_columns(k, &a.values[..k], b, result),
        _ => tiled(m, k, n, a, b, result),
    }
}

/// One row times a row-major matrix: the sum of the matrix's rows, each weighted. Rows are read in
/// order, several at once, so that memory streams.
fn row_times_rows(k: usize, n: usize, a: &[f32], b: Matrix<'_>, result: &mut [f32]) {
    let chunk = chunk(n, k);
    let shared = Shared::new(result);
    for_each(n.div_ceil(chunk), k * n, |task| {
        let start = task * chunk;
        let length = chunk.min(n - start);
        // SAFETY: every task has columns of its own.
        #[allow(unsafe_code)]
        let result = unsafe { shared.part(start, length) };
        result.fill(0.0);
        let row = |index: usize| &b.values[index * b.stride + start..][..length];
        let (groups, rest) = a.as_chunks::<STREAMS>();
        for (group, weights) in groups.iter().enumerate() {
            let rows = std::array::from_fn(|i| row(group * STREAMS + i));
            add_weighted(weights, rows, result);
        }
        for (i, weight) in rest.iter().enumerate() {
            add_weighted(&[*weight], [row(groups.len() * STREAMS + i)], result);
        }
    });
}

/// `result += Σ weightᵢ·rowᵢ`.
#[inline(always)]
fn add_weighted<const N: usize>(weights: &[f32; N], rows: [&[f32]; N], result: &mut [f32]) {
    let splats = weights.map(Lanes::splat);
    let whole = result.len() / LANES;
    let vectors = rows.map(|row| &row.as_chunks::<LANES>().0[..whole]);
    let (sums, rest) = result.as_chunks_mut::<LANES>();
    for (index, sum) in sums.iter_mut().enumerate() {
        let mut total = Lanes::load(sum);
        for i in 0..N {
            total = total.add_product(splats[i], Lanes::load(&vectors[i][index]));
        }
        total.store(sum);
    }
    for (index, sum) in rest.iter_mut().enumerate() {
        for i in 0..N {
            *sum += weights[i] * rows[i][whole * LANES + index];
        }
    }
}

/// One row times the transpose of a row-major matrix: a scalar product per row, rows in order.
fn row_times_columns(k: usize, a: &[f32], b: Matrix<'_>, result: &mut [f32]) {
    let n = result.len();
    let chunk = chunk(n, k);
    let shared = Shared::new(result);
    for_each(n.div_ceil(chunk), k * n, |task| {
        let start = task * chunk;
        // SAFETY: every task has results of its own.
        #[allow(unsafe_code)]
        let result = unsafe { shared.part(start, chunk.min(n - start)) };
        for (index, sum) in result.iter_mut().enumerate() {
            *sum = scalar_product(a, &b.values[(start + index) * b.stride..][..k]);
        }
    });
}

fn scalar_product(a: &[f32], b: &[f32]) -> f32 {
    /// Sums that grow at once, since an addition takes longer than a load.
    const SUMS: usize = 4;
    let (groups, rest) = a.as_chunks::<{ SUMS * LANES }>();
    let (b_groups, b_rest) = b.as_chunks::<{ SUMS * LANES }>();
    let mut sums = [Lanes::splat(0.0); SUMS];
    for (a, b) in groups.iter().zip(b_groups) {
        let (a, b) = (a.as_chunks::<LANES>().0, b.as_chunks::<LANES>().0);
        for i in 0..SUMS {
            sums[i] = sums[i].add_product(Lanes::load(&a[i]), Lanes::load(&b[i]));
        }
    }
    let rest: f32 = rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    ((sums[0] + sums[1]) + (sums[2] + sums[3])).sum() + rest
}

/// The general product, tile by tile.
fn tiled(m: usize, k: usize, n: usize, a: Matrix<'_>, b: Matrix<'_>, result: &mut [f32]) {
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

/// All rows of the left matrix times one strip; `out` is where a row's values go, or are added to what is
/// there.
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

/// Puts a row of a tile where it belongs, adding it to what shallower strips left there.
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

/// A tile of the result: the heart of it all.
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

/// The left matrix as tiles read it: per strip depth, per tile, `TILE_ROWS` values for each step.
/// Rows past the last are zero.
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

/// The columns of the right matrix from `column` on, strip by strip, rows `start..start + depth`;
/// columns from `end` on are zero.
fn pack_strips(
    b: Matrix<'_>,
    start: usize,
    depth: usize,
    column: usize,
    end: usize,
    strips: &mut [Strip],
) {
    const WIDTH: usize = STRIPS * TILE_COLUMNS;
    if b.transposed {
        for (index, strip) in strips.iter_mut().enumerate() {
            let column = column + index * TILE_COLUMNS;
            pack_transposed(b, start, column, end, &mut strip[..depth]);
        }
        return;
    }
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

fn pack_transposed(
    b: Matrix<'_>,
    start: usize,
    column: usize,
    end: usize,
    strip: &mut [[f32; TILE_COLUMNS]],
) {
    let depth = strip.len();
    let columns = TILE_COLUMNS.min(end.saturating_sub(column));
    let row = |index: usize| &b.values[(column + index) * b.stride + start..][..depth];
    let mut done = 0;
    if columns == TILE_COLUMNS {
        let rows: [&[[f32; LANES]]; TILE_COLUMNS] =
            std::array::from_fn(|index| row(index).as_chunks::<LANES>().0);
        let (blocks, _) = strip.as_chunks_mut::<LANES>();
        done = blocks.len() * LANES;
        for (index, block) in blocks.iter_mut().enumerate() {
            for half in 0..2 {
                let corner = std::array::from_fn(|i| Lanes::load(&rows[half * LANES + i][index]));
                let turned = Lanes::transpose(corner);
                for (values, turned) in block.iter_mut().zip(turned) {
                    turned.store(&mut values.as_chunks_mut::<LANES>().0[half]);
                }
            }
        }
    }
    for (step, values) in strip.iter_mut().enumerate().skip(done) {
        for (index, value) in values.iter_mut().enumerate() {
            *value = if index < columns {
                row(index)[step]
            } else {
                0.0
            };
        }
    }
}

/// Columns that one task takes: all of them for one thread and for work too small to share.
fn chunk(columns: usize, work_per_column: usize) -> usize {
    /// Tasks a thread, so that one that starts late finds less to do.
    const TASKS: usize = 4;
    let threads = threads();
    if threads == 1 {
        return columns.max(1);
    }
    let least = WORTH_SHARING.div_ceil(work_per_column.max(1));
    columns
        .div_ceil(threads * TASKS)
        .max(least)
        .next_multiple_of(STRIPS * TILE_COLUMNS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The product by its definition, in f64.
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
            m in 1usize..20,
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
