//! Positions of another number of patches than a table is for.

use burn::prelude::*;

use crate::picture::{Filter, cubic, weights};

/// The way of interpolating positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// PyTorch's `bicubic`: Keys' kernel with `a = −3/4`, four places wide.
    Cubic,
    /// The same with `antialias`: `a = −1/2`, and wider where places become fewer.
    Antialiased,
}

impl Interpolation {
    /// Returns the matrix that makes `after` places of `before` places, `[after, before]`.
    fn matrix(self, before: usize, after: usize) -> Vec<f32> {
        let mut matrix = vec![0.0; after * before];
        for (place, row) in matrix.chunks_exact_mut(before).enumerate() {
            match self {
                Interpolation::Cubic => cubic_row(row, place, after),
                Interpolation::Antialiased => {
                    let all = weights(before, after, Filter::Bicubic);
                    for (at, weight) in all[place].weights.iter().enumerate() {
                        row[all[place].first + at] = *weight as f32;
                    }
                }
            }
        }
        matrix
    }

    /// Interpolates the vectors of a grid of positions.
    ///
    /// # Shapes
    /// - table: `[rows * columns, width]`, of the grid `from`
    /// - out: `[rows * columns, width]`, of the grid `to`
    pub fn apply(self, table: Tensor<2>, from: [usize; 2], to: [usize; 2]) -> Tensor<2> {
        if from == to {
            return table;
        }
        let device = table.device();
        let [_, width] = table.dims();
        let matrix = |axis: usize| {
            let (before, after) = (from[axis], to[axis]);
            let data = TensorData::new(self.matrix(before, after), [after, before]);
            Tensor::<2>::from_data(data, &device)
        };
        let rows = matrix(0).matmul(table.reshape([from[0], from[1] * width]));
        let by_columns = rows.reshape([to[0], from[1], width]).swap_dims(0, 1);
        let columns = matrix(1).matmul(by_columns.reshape([from[1], to[0] * width]));
        let by_rows = columns.reshape([to[1], to[0], width]).swap_dims(0, 1);
        by_rows.reshape([to[0] * to[1], width])
    }
}

/// Writes the weights of a place among `after`; places beyond the edges are the edge's own.
fn cubic_row(row: &mut [f32], place: usize, after: usize) {
    let scale = row.len() as f64 / after as f64;
    let center = (place as f64 + 0.5) * scale - 0.5;
    let last = row.len() as f64 - 1.0;
    for offset in -1..=2 {
        let at = center.floor() + f64::from(offset);
        let weight = cubic((center - at).abs(), -0.75);
        row[at.clamp(0.0, last) as usize] += weight as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_sums_to_one() {
        for way in [Interpolation::Cubic, Interpolation::Antialiased] {
            for (before, after) in [(1, 5), (7, 3), (3, 7), (4, 4)] {
                for row in way.matrix(before, after).chunks(before) {
                    let sum: f32 = row.iter().sum();
                    assert!((sum - 1.0).abs() < 1e-5, "{way:?} {before} {after}");
                }
            }
        }
    }

    #[test]
    fn rows_and_columns_are_not_exchanged() {
        let device = Device::flex();
        // The vector of a place is its row and its column.
        let places = (0..6).flat_map(|at| [(at / 3) as f32, (at % 3) as f32]);
        let data = TensorData::new(places.collect::<Vec<f32>>(), [6, 2]);
        let table = Tensor::from_data(data, &device);
        let found = Interpolation::Cubic.apply(table, [2, 3], [2, 6]);
        let found = found.into_data().try_into_vec::<f32>().unwrap();
        let rows: Vec<f32> = found.chunks(2).map(|place| place[0]).collect();
        assert_eq!(rows[..6], [0.0; 6]);
        assert!(rows[6..].iter().all(|row| (row - 1.0).abs() < 1e-6));
        assert!(found[1] < found[3] && found[3] < found[5]);
    }
}
