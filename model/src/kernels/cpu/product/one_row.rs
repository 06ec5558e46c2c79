//! One row times a row-major matrix.

use super::{Matrix, chunk};
use crate::kernels::cpu::lanes::{LANES, Lanes};
use crate::kernels::cpu::parallel::{Shared, for_each};

/// The number of rows of the matrix that are added at once.
const STREAMS: usize = 8;

/// Computes `a·B` with `a` of `k` values and `B` of `n` columns: the weighted sum of the matrix's rows. Rows are read
/// in order, several at once, for sequential access to memory.
pub fn multiply(k: usize, n: usize, a: &[f32], b: Matrix<'_>, result: &mut [f32]) {
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
