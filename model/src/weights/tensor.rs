//! The tensors of a file of weights, whichever format it has.

use attention_gguf::{Encoding, Floats, Gguf, MAGIC, Order};
use safetensors::Dtype;

use super::raw::{RawTensor, raw_tensors};
use crate::error::ModelError;

/// A tensor as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub enum StoredTensor<'a> {
    /// Floats, or quantised values that become floats.
    Floats(Floats<'a>),
    /// Values of another type, which no model reads.
    Other {
        /// The type of the values.
        dtype: Dtype,
        /// The size of each dimension.
        shape: Vec<usize>,
    },
}

impl<'a> From<RawTensor<'a>> for StoredTensor<'a> {
    fn from(tensor: RawTensor<'a>) -> Self {
        let RawTensor {
            dtype,
            shape,
            bytes,
        } = tensor;
        match encoding(dtype) {
            Some(encoding) => StoredTensor::Floats(Floats {
                shape,
                encoding,
                bytes,
                order: Order::Same,
            }),
            None => StoredTensor::Other { dtype, shape },
        }
    }
}

impl StoredTensor<'_> {
    /// The shape in `model.safetensors`.
    pub fn shape(&self) -> &[usize] {
        match self {
            StoredTensor::Floats(floats) => &floats.shape,
            StoredTensor::Other { shape, .. } => shape,
        }
    }
}

/// Returns the tensors of a safetensors or GGUF file or of a `pytorch_model.bin`, under their names in
/// `model.safetensors`.
///
/// # Errors
/// If the bytes are not a file of one of these formats.
pub fn tensors(weights: &[u8]) -> Result<Vec<(String, StoredTensor<'_>)>, ModelError> {
    if weights.starts_with(MAGIC) {
        let floats = Gguf::read(weights)?.weights()?.into_iter();
        return Ok(floats
            .map(|(name, floats)| (name, StoredTensor::Floats(floats)))
            .collect());
    }
    let tensors = raw_tensors(weights)?.into_iter();
    Ok(tensors
        .map(|(name, tensor)| (name, tensor.into()))
        .collect())
}

/// Returns the encoding of floats in safetensors files; `None` for other types.
pub fn encoding(dtype: Dtype) -> Option<Encoding> {
    match dtype {
        Dtype::F16 => Some(Encoding::F16),
        Dtype::BF16 => Some(Encoding::Bf16),
        Dtype::F32 => Some(Encoding::F32),
        Dtype::F64 => Some(Encoding::F64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{bf16, f16};

    use super::*;

    fn floats(dtype: Dtype, count: usize, bytes: &[u8]) -> Floats<'_> {
        let tensor = RawTensor {
            dtype,
            shape: vec![count],
            bytes: bytes.into(),
        };
        match tensor.into() {
            StoredTensor::Floats(floats) => floats,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_precision_is_read() {
        let read = |dtype, bytes: &[u8]| floats(dtype, 1, bytes).values();
        assert_eq!(read(Dtype::F16, &f16::from_f32(1.5).to_le_bytes()), [1.5]);
        assert_eq!(
            read(Dtype::BF16, &bf16::from_f32(-2.0).to_le_bytes()),
            [-2.0]
        );
        assert_eq!(read(Dtype::F32, &0.1f32.to_le_bytes()), [0.1]);
        assert_eq!(read(Dtype::F64, &0.25f64.to_le_bytes()), [0.25]);
    }

    #[test]
    fn values_that_are_not_finite_are_counted_in_every_precision() {
        let count = |dtype, values: [&[u8]; 4]| floats(dtype, 4, &values.concat()).not_finite();
        let half = [f16::MAX, f16::MIN, f16::NAN, f16::NEG_INFINITY].map(f16::to_le_bytes);
        assert_eq!(count(Dtype::F16, half.each_ref().map(|v| &v[..])), 2);
        let brain = [bf16::MAX, bf16::INFINITY, bf16::NAN, bf16::MIN].map(bf16::to_le_bytes);
        assert_eq!(count(Dtype::BF16, brain.each_ref().map(|v| &v[..])), 2);
        let single = [f32::MAX, f32::INFINITY, f32::NAN, -0.0].map(f32::to_le_bytes);
        assert_eq!(count(Dtype::F32, single.each_ref().map(|v| &v[..])), 2);
        // Finite, but not where it is going.
        let double = [1e300, f64::NAN, 1e30, 1e-300].map(f64::to_le_bytes);
        assert_eq!(count(Dtype::F64, double.each_ref().map(|v| &v[..])), 2);
    }
}
