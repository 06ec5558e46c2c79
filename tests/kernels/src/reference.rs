//! The operations by their definitions, in f64.

/// A matrix, row by row.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// The values, row by row.
    pub values: Vec<f64>,
    /// The length of a row.
    pub columns: usize,
}

impl Matrix {
    /// Creates a matrix from f32 `values`, without rounding.
    pub fn new(values: &[f32], columns: usize) -> Self {
        Matrix {
            values: values.iter().copied().map(f64::from).collect(),
            columns,
        }
    }

    /// Iterates over the matrix's rows.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks(self.columns)
    }

    /// Returns the row at `index`.
    pub fn row(&self, index: usize) -> &[f64] {
        &self.values[index * self.columns..][..self.columns]
    }

    pub fn transposed(&self) -> Self {
        let column = |column| self.rows().map(move |row| row[column]);
        Matrix {
            values: (0..self.columns).flat_map(column).collect(),
            columns: self.values.len() / self.columns,
        }
    }
}

/// Computes the dot product, `Σ aᵢbᵢ`.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Computes the matrix product `A·Bᵀ`.
pub fn times_transposed(a: &Matrix, b: &Matrix) -> Vec<f64> {
    a.rows()
        .flat_map(|row| b.rows().map(|column| dot(row, column)))
        .collect()
}

/// Computes the softmax of the first `visible` values; the others become zero.
pub fn softmax(row: &[f64], visible: usize) -> Vec<f64> {
    let largest = row[..visible].iter().copied().fold(f64::MIN, f64::max);
    let exponentials: Vec<f64> = row
        .iter()
        .enumerate()
        .map(|(index, x)| {
            if index < visible {
                (x - largest).exp()
            } else {
                0.0
            }
        })
        .collect();
    let sum: f64 = exponentials.iter().sum();
    exponentials.iter().map(|value| value / sum).collect()
}

/// Computes `(x − mean) / √(mean((x − mean)²) + ε) ⊙ γ + β`; RMSNorm uses a mean of zero and has no β.
pub fn norm(row: &[f64], mean: f64, epsilon: f64, gamma: &[f64], beta: Option<&[f64]>) -> Vec<f64> {
    let squares = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / row.len() as f64;
    let deviation = (squares + epsilon).sqrt();
    row.iter()
        .enumerate()
        .map(|(i, x)| (x - mean) / deviation * gamma[i] + beta.map_or(0.0, |beta| beta[i]))
        .collect()
}
