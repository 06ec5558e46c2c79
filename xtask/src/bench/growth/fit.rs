//! Fitting a sum of known terms to measurements.

use serde::Serialize;

/// Multiples of `N` terms whose sum comes nearest to what was measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Fit<const N: usize> {
    /// One multiple a term, none below zero.
    #[serde(serialize_with = "as_list")]
    pub multiples: [f64; N],
    /// The largest relative error.
    pub error: f64,
}

fn as_list<S: serde::Serializer, const N: usize>(
    values: &[f64; N],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values)
}

impl<const N: usize> Fit<N> {
    /// The sum at the given terms.
    pub fn at(&self, terms: &[f64; N]) -> f64 {
        self.multiples.iter().zip(terms).map(|(m, t)| m * t).sum()
    }
}

/// The least squares of the *relative* errors, so that short texts count as much as long ones. A
/// term whose multiple would be below zero is left out: no operation takes negative time.
pub fn fit<const N: usize>(rows: &[([f64; N], f64)]) -> Fit<N> {
    let mut used = [true; N];
    let mut found = Fit {
        multiples: [0.0; N],
        error: 0.0,
    };
    for _ in 0..N {
        found.multiples = solve(rows, &used);
        let smallest = (0..N)
            .filter(|&term| used[term])
            .min_by(|&a, &b| found.multiples[a].total_cmp(&found.multiples[b]));
        match smallest {
            Some(term) if found.multiples[term] < 0.0 => used[term] = false,
            _ => break,
        }
    }
    found.multiples = found.multiples.map(|multiple| multiple.max(0.0));
    found.error = rows
        .iter()
        .map(|(terms, value)| (found.at(terms) / value - 1.0).abs())
        .fold(0.0, f64::max);
    found
}

/// The normal equations of the terms in use, by elimination with pivots; zero for the others.
fn solve<const N: usize>(rows: &[([f64; N], f64)], used: &[bool; N]) -> [f64; N] {
    let mut matrix = [[0.0; N]; N];
    let mut right = [0.0; N];
    for (terms, value) in rows {
        let scaled = terms.map(|term| term / value);
        for i in (0..N).filter(|&i| used[i]) {
            right[i] += scaled[i];
            for j in (0..N).filter(|&j| used[j]) {
                matrix[i][j] += scaled[i] * scaled[j];
            }
        }
    }
    for i in (0..N).filter(|&i| !used[i]) {
        matrix[i][i] = 1.0;
    }
    eliminate(&mut matrix, &mut right);
    right
}

/// Solves `matrix · x = right` into `right`.
fn eliminate<const N: usize>(matrix: &mut [[f64; N]; N], right: &mut [f64; N]) {
    for column in 0..N {
        let largest = |a: &usize, b: &usize| {
            matrix[*a][column]
                .abs()
                .total_cmp(&matrix[*b][column].abs())
        };
        let pivot = (column..N).max_by(largest).unwrap_or(column);
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        if matrix[column][column] == 0.0 {
            continue;
        }
        for row in (0..N).filter(|&row| row != column) {
            let factor = matrix[row][column] / matrix[column][column];
            let pivoted = matrix[column];
            for (entry, above) in matrix[row].iter_mut().zip(pivoted) {
                *entry -= factor * above;
            }
            right[row] -= factor * right[column];
        }
    }
    for (index, value) in right.iter_mut().enumerate() {
        let pivot = matrix[index][index];
        *value = if pivot == 0.0 { 0.0 } else { *value / pivot };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_sums_are_found_again() {
        let rows: Vec<([f64; 3], f64)> = [16.0, 64.0, 256.0, 1024.0]
            .map(|n: f64| ([1.0, n, n * n], 3.0 + 0.5 * n + 0.001 * n * n))
            .into();
        let found = fit(&rows);
        for (multiple, expected) in found.multiples.iter().zip([3.0, 0.5, 0.001]) {
            assert!((multiple - expected).abs() < 1e-6, "{found:?}");
        }
        assert!(found.error < 1e-6);
    }

    #[test]
    fn no_multiple_is_below_zero() {
        let rows: Vec<([f64; 2], f64)> = [1.0, 2.0, 4.0].map(|n: f64| ([1.0, n], 10.0 - n)).into();
        let found = fit(&rows);
        assert_eq!(found.multiples[1], 0.0);
        assert!(found.multiples[0] > 0.0 && found.error > 0.0);
    }
}
