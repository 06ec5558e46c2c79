//! Arrays of numbers on the host.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A dense row-major array of numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts")]
pub struct Array {
    /// Length along each axis.
    pub shape: Vec<usize>,
    /// The values, last axis fastest; their number is the product of the shape.
    pub data: Vec<f32>,
}

/// An array as it is written down, where the values need not fill the shape.
#[derive(Deserialize)]
struct Parts {
    shape: Vec<usize>,
    data: Vec<f32>,
}

impl TryFrom<Parts> for Array {
    type Error = ShapeError;

    fn try_from(Parts { shape, data }: Parts) -> Result<Self, ShapeError> {
        match volume(&shape) == Some(data.len()) {
            true => Ok(Array { shape, data }),
            false => Err(ShapeError {
                shape,
                values: data.len(),
            }),
        }
    }
}

/// An array whose values do not fill its shape.
#[derive(Debug, Error)]
#[error("{values} values do not fill the shape {shape:?}")]
pub struct ShapeError {
    shape: Vec<usize>,
    values: usize,
}

/// The values of an array of that shape; `None` where there can be no such array.
pub(crate) fn volume(shape: &[usize]) -> Option<usize> {
    shape
        .iter()
        .try_fold(1_usize, |volume, &length| volume.checked_mul(length))
}

impl Array {
    /// The matrix (last two axes) at `index` of the first axis: a head's map in `[h, n, m]`.
    /// `None` where the array has not three axes or `index` is out of range.
    pub fn matrix(&self, index: usize) -> Option<&[f32]> {
        let &[count, rows, columns] = self.shape.as_slice() else {
            return None;
        };
        (index < count).then(|| {
            let length = rows * columns;
            &self.data[index * length..(index + 1) * length]
        })
    }

    /// The values as bytes, in the machine's order.
    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.data)
    }

    /// An array of that shape out of such bytes; `None` where they do not fill it.
    pub fn from_bytes(shape: Vec<usize>, bytes: &[u8]) -> Option<Self> {
        let length_bytes = volume(&shape)?.checked_mul(size_of::<f32>())?;
        (bytes.len() == length_bytes).then(|| Array {
            shape,
            data: bytemuck::allocation::pod_collect_to_vec(bytes),
        })
    }

    /// The last axis at the given leading indices: one row.
    pub fn row(&self, leading: &[usize]) -> Option<&[f32]> {
        if leading.len() + 1 != self.shape.len() {
            return None;
        }
        let mut offset = 0;
        for (&index, &length) in leading.iter().zip(&self.shape) {
            if index >= length {
                return None;
            }
            offset = offset * length + index;
        }
        let width = *self.shape.last()?;
        self.data.get(offset * width..(offset + 1) * width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_whose_values_do_not_fill_its_shape_is_refused() {
        let read = |json| serde_json::from_str::<Array>(json);
        assert!(read(r#"{"shape":[2,1],"data":[1.0,2.0]}"#).is_ok());
        let refused = read(r#"{"shape":[1,2,3],"data":[1.0]}"#).unwrap_err();
        assert!(
            refused
                .to_string()
                .contains("1 values do not fill the shape [1, 2, 3]")
        );
        // Together they are more than there are numbers for.
        let large = 1_usize << 63;
        assert!(read(&format!(r#"{{"shape":[{large},2],"data":[]}}"#)).is_err());
        assert_eq!(Array::from_bytes(vec![large, 2], &[]), None);
        assert_eq!(Array::from_bytes(vec![usize::MAX], &[0; 4]), None);
        assert_eq!(Array::from_bytes(vec![2], &[0; 7]), None);
    }
}
