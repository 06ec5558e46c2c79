//! A small matrix of double precision, for products of weights.

use super::Turn;
use crate::Array;
use crate::positions::rotate;

/// A matrix in double precision, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    pub rows: usize,
    pub columns: usize,
    pub data: Vec<f64>,
}

impl Matrix {
    /// Returns the matrix of an array of two axes.
    pub fn of(array: &Array) -> Option<Self> {
        let &[rows, columns] = &array.shape[..] else {
            return None;
        };
        let data: Vec<f64> = array.data.iter().copied().map(f64::from).collect();
        (data.len() == rows * columns).then_some(Matrix {
            rows,
            columns,
            data,
        })
    }

    /// Returns the numbers in single precision.
    pub fn into_array(self) -> Array {
        Array {
            shape: vec![self.rows, self.columns],
            data: self.data.into_iter().map(|value| value as f32).collect(),
        }
    }

    /// Returns a row; it must be there.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.data[row * self.columns..(row + 1) * self.columns]
    }

    /// Returns the columns of one of `count` equal parts.
    pub fn columns_of(&self, part: usize, count: usize) -> Option<Self> {
        let columns = self.columns.checked_div(count)?;
        (part < count && columns * count == self.columns).then_some(())?;
        let part_of = |row| &self.row(row)[part * columns..(part + 1) * columns];
        Some(Matrix {
            rows: self.rows,
            columns,
            data: (0..self.rows).flat_map(part_of).copied().collect(),
        })
    }

    /// Returns the rows of one of `count` equal parts.
    pub fn rows_of(&self, part: usize, count: usize) -> Option<Self> {
        let rows = self.rows.checked_div(count)?;
        (part < count && rows * count == self.rows).then_some(())?;
        let length = rows * self.columns;
        Some(Matrix {
            rows,
            columns: self.columns,
            data: self.data[part * length..(part + 1) * length].to_vec(),
        })
    }

    /// Returns each row times its factor; `None` if there are more or fewer factors.
    pub fn scaled_rows(mut self, factors: &[f32]) -> Option<Self> {
        (factors.len() == self.rows).then_some(())?;
        let rows = self.data.chunks_exact_mut(self.columns.max(1));
        for (row, &factor) in rows.zip(factors) {
            row.iter_mut().for_each(|value| *value *= f64::from(factor));
        }
        Some(self)
    }

    /// Returns each row turned as RoPE does.
    pub fn turned(self, Turn { distance, base }: Turn) -> Self {
        let rows = self.data.chunks_exact(self.columns.max(1));
        let turned = rows.flat_map(|row| {
            let row: Vec<f32> = row.iter().map(|&value| value as f32).collect();
            rotate(&row, distance, base).into_iter().map(f64::from)
        });
        Matrix {
            data: turned.collect(),
            ..self
        }
    }

    /// Returns all numbers divided by one.
    pub fn divided(mut self, by: f64) -> Self {
        self.data.iter_mut().for_each(|value| *value /= by);
        self
    }

    /// Returns rows as columns.
    pub fn transposed(&self) -> Self {
        let column = |column: usize| (0..self.rows).map(move |row| self.row(row)[column]);
        Matrix {
            rows: self.columns,
            columns: self.rows,
            data: (0..self.columns).flat_map(column).collect(),
        }
    }

    /// Returns the product; `None` if the inner sizes differ.
    pub fn times(&self, other: &Self) -> Option<Self> {
        (self.columns == other.rows).then_some(())?;
        let mut data = vec![0.0; self.rows * other.columns];
        let results = data.chunks_exact_mut(other.columns.max(1));
        for (row, result) in results.enumerate() {
            for (place, &factor) in self.row(row).iter().enumerate() {
                let values = other.row(place);
                result
                    .iter_mut()
                    .zip(values)
                    .for_each(|(sum, value)| *sum += factor * value);
            }
        }
        Some(Matrix {
            rows: self.rows,
            columns: other.columns,
            data,
        })
    }

    /// Returns the Gram matrix `Aᵀ A`.
    pub fn gram(&self) -> Self {
        let transposed = self.transposed();
        transposed.times(self).unwrap_or(transposed)
    }

    /// Returns the sum of the products of equal places: of the Gram matrices of `A` and `B` it is the squared norm of
    /// `A Bᵀ`.
    pub fn overlap(&self, other: &Self) -> Option<f64> {
        ((self.rows, self.columns) == (other.rows, other.columns)).then_some(())?;
        Some(self.data.iter().zip(&other.data).map(|(a, b)| a * b).sum())
    }
}
