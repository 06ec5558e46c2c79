//! Products with a matrix stored column by column, as weights are: each value of the result is the scalar product of
//! two contiguous runs of memory, so that nothing is packed or copied first.

use super::{Matrix, chunk};
use crate::kernels::cpu::lanes::{LANES, Lanes};
use crate::kernels::cpu::parallel::{Shared, for_each};

/// Rows of a tile of the result.
const ROWS: usize = 2;
/// The number of columns of a tile. Eight sums accumulate at once, which hides the latency of additions, and all of
/// them stay in registers.
pub const COLUMNS: usize = LANES;
/// The number of rows from which the right matrix is read so often that its place in the first cache matters more than
/// its transfer from memory.
const MANY_ROWS: usize = 128;

/// `A·B` with `A` of `m` rows of `k` values and `B` of `n` columns.
pub fn multiply(m: usize, k: usize, n: usize, a: Matrix<'_>, b: Matrix<'_>, result: &mut [f32]) {
    let chunk = chunk(n, m * k);
    let shared = Shared::new(result);
    for_each(n.div_ceil(chunk), m * k * n, |task| {
        let start = task * chunk;
        let tiling = Tiling::new(chunk.min(n - start), m);
        for tile in 0..tiling.tiles {
            let places = std::array::from_fn(|i| start + tiling.column(tile, i));
            let count = tiling.count(tile);
            let columns = places.map(|place| b.line(place, k));
            let put = |row: usize, values: [f32; COLUMNS]| {
                for (place, value) in places.iter().zip(values).take(count) {
                    // SAFETY: every task has columns of its own.
                    #[allow(unsafe_code)]
                    let out = unsafe { shared.part(row * n + place, 1) };
                    out[0] = value;
                }
            };
            multiply_tile(m, a, columns, put);
        }
    });
}

/// Multiplies `m` rows of `A` by the columns of a tile; `put` receives the products of each row.
#[inline(always)]
pub fn multiply_tile(
    m: usize,
    a: Matrix<'_>,
    columns: [&[f32]; COLUMNS],
    put: impl Fn(usize, [f32; COLUMNS]),
) {
    let k = columns[0].len();
    for first in (0..m).step_by(ROWS) {
        if first + ROWS <= m {
            let rows = std::array::from_fn(|i| a.line(first + i, k));
            let sums = tile_product::<ROWS>(rows, columns);
            for (i, sums) in sums.into_iter().enumerate() {
                put(first + i, sums);
            }
        } else {
            let [sums] = tile_product([a.line(first, k)], columns);
            put(first, sums);
        }
    }
}

/// The assignment of columns to tiles.
struct Tiling {
    columns: usize,
    tiles: usize,
    /// True if a tile's columns are adjacent; otherwise they are a quarter of all columns apart: processors prefetch
    /// from several places of memory at once, and get more that way than from one. If memory is not the bottleneck,
    /// adjacent columns are better: columns that are a power of two apart compete for the same place in the cache.
    adjacent: bool,
}

impl Tiling {
    fn new(columns: usize, rows: usize) -> Self {
        Self {
            columns,
            tiles: columns.div_ceil(COLUMNS),
            adjacent: rows >= MANY_ROWS,
        }
    }

    /// Returns the tile's column at `index`, or the last column of the matrix if there is none.
    fn column(&self, tile: usize, index: usize) -> usize {
        let column = match self.adjacent {
            true => COLUMNS * tile + index,
            false => tile + index * self.tiles,
        };
        column.min(self.columns - 1)
    }

    /// Returns the number of columns in the tile.
    fn count(&self, tile: usize) -> usize {
        match self.adjacent {
            true => COLUMNS.min(self.columns - COLUMNS * tile),
            false => (self.columns - tile).div_ceil(self.tiles),
        }
    }
}

/// Computes the scalar products of some rows with the columns of a tile; the inner loop of the product.
#[inline(always)]
fn tile_product<const N: usize>(
    rows: [&[f32]; N],
    columns: [&[f32]; COLUMNS],
) -> [[f32; COLUMNS]; N] {
    let whole = columns[0].len() / LANES;
    let row_vectors = rows.map(|row| vectors(row, whole));
    let column_vectors = columns.map(|column| vectors(column, whole));
    let mut sums = [[Lanes::splat(0.0); COLUMNS]; N];
    for step in 0..whole {
        let left = row_vectors.map(|row| Lanes::load(&row[step]));
        for (i, column) in column_vectors.iter().enumerate() {
            let right = Lanes::load(&column[step]);
            for (sums, left) in sums.iter_mut().zip(left) {
                sums[i] = sums[i].add_product(left, right);
            }
        }
    }
    let mut products = sums.map(Lanes::sums);
    for step in whole * LANES..columns[0].len() {
        for (products, row) in products.iter_mut().zip(rows) {
            for (product, column) in products.iter_mut().zip(columns) {
                *product += row[step] * column[step];
            }
        }
    }
    products
}

/// Returns the first `count` vectors of a line.
#[inline(always)]
fn vectors(line: &[f32], count: usize) -> &[[f32; LANES]] {
    &line.as_chunks().0[..count]
}
