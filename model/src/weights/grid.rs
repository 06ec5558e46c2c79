//! Weights on a coarse grid: the files compress well, and every reader of checkpoints can load them.

use std::collections::HashMap;

use burn::tensor::f16;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, serialize};

use super::read;
use super::tensor::encoding;
use crate::error::ModelError;

/// The widths of integers that f16 represents exactly, times a power of two: it has eleven significant bits.
pub const GRID_BITS: std::ops::RangeInclusive<u32> = 2..=12;

/// The exponent of the smallest positive f16.
const SMALLEST_EXPONENT: i32 = -24;

/// Returns the checkpoint `weights` with each row of its matrices rounded to signed integers of `bits` bits times the
/// smallest power of two that clips none of them. Vectors become f16. The file contains the final values: nothing has
/// to be multiplied when it is read.
///
/// # Errors
/// If the bytes are not a safetensors file, or the tensors are not floats.
pub fn round_to_grid(weights: &[u8], bits: u32) -> Result<Vec<u8>, ModelError> {
    let file = read(weights)?;
    let mut rounded = Vec::new();
    for (name, tensor) in file.tensors() {
        let Some(encoding) = encoding(tensor.dtype()) else {
            return Err(ModelError::Weights(format!(
                "`{name}` is stored as {:?}, which is no float",
                tensor.dtype()
            )));
        };
        let mut values = encoding.widen(tensor.data());
        if let &[rows, columns] = tensor.shape()
            && rows > 1
        {
            // A matrix without columns has no rows to round.
            let columns = columns.max(1);
            for row in values.chunks_mut(columns) {
                round_row(row, bits);
            }
        }
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|&value| f16::from_f32(value).to_le_bytes())
            .collect();
        rounded.push((name, tensor.shape().to_vec(), bytes));
    }
    let views = rounded
        .iter()
        .map(|(name, shape, bytes)| {
            let view = TensorView::new(Dtype::F16, shape.clone(), bytes)?;
            Ok((name, view))
        })
        .collect::<Result<Vec<_>, safetensors::SafeTensorError>>();
    let format = HashMap::from([("format".to_owned(), "pt".to_owned())]);
    views
        .and_then(|views| serialize(views, Some(format)))
        .map_err(|error| ModelError::Weights(error.to_string()))
}

fn round_row(row: &mut [f32], bits: u32) {
    let largest = row.iter().fold(0.0, |largest: f32, x| largest.max(x.abs()));
    if largest == 0.0 {
        return;
    }
    let levels = f32::from((1_u16 << (bits - 1)) - 1);
    let exponent = (largest / levels).log2().ceil() as i32;
    let step = (exponent.max(SMALLEST_EXPONENT) as f32).exp2();
    for value in row {
        // Adding nothing makes 0 of −0, which is no integer.
        *value = (*value / step).round() * step + 0.0;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn file(rows: &[Vec<f32>]) -> Vec<u8> {
        let bytes: Vec<u8> = rows
            .iter()
            .flatten()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        let shape = vec![rows.len(), rows[0].len()];
        let matrix = TensorView::new(Dtype::F32, shape, &bytes).unwrap();
        let vector = TensorView::new(Dtype::F32, vec![rows[0].len()], &bytes[..4 * rows[0].len()]);
        serialize([("w", matrix), ("b", vector.unwrap())], None).unwrap()
    }

    fn values(weights: &[u8], name: &str) -> Vec<f32> {
        let file = read(weights).unwrap();
        let tensor = file.tensor(name).unwrap();
        encoding(tensor.dtype()).unwrap().widen(tensor.data())
    }

    proptest! {
        #[test]
        fn a_row_has_few_values_none_far_from_where_it_was(
            rows in prop::collection::vec(prop::collection::vec(-4.0_f32..4.0, 8), 2..5),
            scale in -12_i32..4,
            bits in 4_u32..9,
        ) {
            let rows: Vec<Vec<f32>> = rows
                .into_iter()
                .map(|row| row.into_iter().map(|x| x * (scale as f32).exp2()).collect())
                .collect();
            let rounded = round_to_grid(&file(&rows), bits).unwrap();
            let matrix = values(&rounded, "w");
            for (row, rounded) in rows.iter().zip(matrix.chunks(8)) {
                let largest = row.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
                let levels = f64::from((1 << (bits - 1)) - 1);
                // The step is at most twice what would just do, and half of it is the farthest.
                let farthest = f64::from(largest) / levels * 1.0001;
                for (before, after) in row.iter().zip(rounded) {
                    prop_assert!(f64::from((before - after).abs()) <= farthest);
                }
            }
            // What is on the grid stays, and vectors are f16 alone.
            prop_assert_eq!(&round_to_grid(&rounded, bits).unwrap(), &rounded);
            let vector = values(&rounded, "b");
            for (before, after) in rows[0].iter().zip(vector) {
                prop_assert_eq!(f16::from_f32(*before).to_f32(), after);
            }
        }
    }

    #[test]
    fn a_row_by_hand() {
        // 3 bits: -3 … 3. The largest is 3, so the step is 1.
        let rounded = round_to_grid(&file(&[vec![3.0, 1.4, -0.6], vec![0.0; 3]]), 3).unwrap();
        assert_eq!(values(&rounded, "w"), [3.0, 1.0, -1.0, 0.0, 0.0, 0.0]);
        assert!(round_to_grid(b"no file", 8).is_err());
    }
}
