//! The operations by their definitions, in f64.

use attention_gguf::{CodedLines, Coding, Half};

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

/// Returns a float of 16 bits by the definition of its format.
pub fn half(format: Half, bits: u16) -> f64 {
    let (fraction_bits, bias) = match format {
        Half::F16 => (10, 15),
        Half::Bf16 => (7, 127),
    };
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from((bits & 0x7fff) >> fraction_bits);
    let fraction = f64::from(bits & ((1 << fraction_bits) - 1)) / f64::from(1 << fraction_bits);
    let whole = if exponent == 0 { 0.0 } else { 1.0 };
    sign * (whole + fraction) * 2_f64.powi(exponent.max(1) - bias)
}

/// Returns the weights of a matrix in blocks by the definition of its coding.
pub fn decoded(lines: &CodedLines) -> Vec<f64> {
    let bytes: Vec<u8> = lines
        .codes
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    let blocks = bytes.chunks_exact(lines.coding.block_bytes()).enumerate();
    let weights = blocks.flat_map(|(index, block)| {
        let code = move |place: usize| match lines.coding {
            Coding::Nibbles => i32::from(block[place % 16] >> (4 * (place / 16)) & 15) - 8,
            Coding::Bytes | Coding::ShortBytes => block[place].cast_signed().into(),
        };
        let (scale, offset) = (
            f64::from(lines.scales[index]),
            f64::from(lines.offsets[index]),
        );
        (0..lines.coding.block()).map(move |place| scale * f64::from(code(place)) + offset)
    });
    weights.collect()
}
