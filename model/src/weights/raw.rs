//! The tensors of a safetensors file or of a `pytorch_model.bin`, as safetensors stores them.

#[cfg(feature = "tokenizers")]
use std::borrow::Cow;

#[cfg(feature = "tokenizers")]
use attention_pytorch::{Index, PytorchError};
use attention_pytorch::{MAGIC, Source};
use safetensors::Dtype;
#[cfg(feature = "tokenizers")]
use safetensors::{View, tensor::TensorView};

#[cfg(feature = "tokenizers")]
use super::read;
use super::tensor::begins_with;
use crate::error::ModelError;

/// The file in which PyTorch stores weights.
pub const PYTORCH_FILE: &str = "pytorch_model.bin";

#[cfg(feature = "tokenizers")]
/// A tensor with its values, the last dimension fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct RawTensor<'a> {
    /// The type of the values.
    pub dtype: Dtype,
    /// The size of each dimension.
    pub shape: Vec<usize>,
    /// The bytes of the values.
    pub bytes: Cow<'a, [u8]>,
}

#[cfg(feature = "tokenizers")]
impl<'a> From<&TensorView<'a>> for RawTensor<'a> {
    fn from(view: &TensorView<'a>) -> Self {
        RawTensor {
            dtype: view.dtype(),
            shape: view.shape().to_vec(),
            bytes: view.data().into(),
        }
    }
}

#[cfg(feature = "tokenizers")]
impl View for &RawTensor<'_> {
    fn dtype(&self) -> Dtype {
        self.dtype
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self.bytes)
    }

    fn data_len(&self) -> usize {
        self.bytes.len()
    }
}

/// Returns true if a file begins as a `pytorch_model.bin`.
pub fn is_pytorch(weights: &dyn Source) -> bool {
    begins_with(weights, MAGIC)
}

/// Returns the error for a fault of a `pytorch_model.bin`.
pub fn pytorch_fault(fault: impl ToString) -> ModelError {
    ModelError::WeightsFile {
        file: PYTORCH_FILE.to_owned(),
        fault: fault.to_string(),
    }
}

#[cfg(feature = "tokenizers")]
/// Returns the tensors of a safetensors file or of a `pytorch_model.bin` with their names.
///
/// # Errors
/// If the bytes are not a file of either format.
pub fn raw_tensors(weights: &[u8]) -> Result<Vec<(String, RawTensor<'_>)>, ModelError> {
    if weights.starts_with(MAGIC) {
        return of_pytorch(weights).map_err(pytorch_fault);
    }
    let tensors = read(weights)?.tensors().into_iter();
    Ok(tensors
        .map(|(name, view)| (name, RawTensor::from(&view)))
        .collect())
}

#[cfg(feature = "tokenizers")]
fn of_pytorch(weights: &[u8]) -> Result<Vec<(String, RawTensor<'_>)>, PytorchError> {
    let index = Index::read(weights)?;
    let values = index.values(weights)?.into_iter();
    let raw = values.map(|(tensor, bytes)| {
        let raw = RawTensor {
            dtype: dtype(tensor.dtype),
            shape: tensor.sizes()?,
            bytes,
        };
        Ok((tensor.name.clone(), raw))
    });
    raw.collect()
}

/// Returns the type as safetensors names it.
pub fn dtype(dtype: attention_pytorch::Dtype) -> Dtype {
    use attention_pytorch::Dtype as Stored;

    match dtype {
        Stored::F64 => Dtype::F64,
        Stored::F32 => Dtype::F32,
        Stored::F16 => Dtype::F16,
        Stored::Bf16 => Dtype::BF16,
        Stored::I64 => Dtype::I64,
        Stored::I32 => Dtype::I32,
        Stored::I16 => Dtype::I16,
        Stored::I8 => Dtype::I8,
        Stored::U8 => Dtype::U8,
        Stored::Bool => Dtype::BOOL,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use burn::tensor::{bf16, f16};

    use super::*;

    fn fixture(name: &str) -> Vec<u8> {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures");
        std::fs::read(directory.join(name)).unwrap()
    }

    #[test]
    fn both_formats_hold_the_same_bits() {
        let weights = fixture("tiny/padded-vocabulary/model.safetensors");
        let expected = raw_tensors(&weights).unwrap();
        let named = |name: &str| {
            let mut found = expected.iter();
            found.find(|(other, _)| other == name).unwrap().1.clone()
        };
        let whole = fixture("pytorch/whole.bin");
        let found = raw_tensors(&whole).unwrap();
        // The tied matrix has both its names.
        assert_eq!(found.len(), expected.len() + 1);
        for (name, tensor) in found {
            let name = name.replace("lm_head", "model.embed_tokens");
            assert_eq!(tensor, named(&name), "{name}");
        }
    }

    #[test]
    fn half_precision_is_that_of_torch() {
        let whole = fixture("pytorch/f32.bin");
        let whole = raw_tensors(&whole).unwrap();
        let half: fn(f32) -> [u8; 2] = |value| f16::from_f32(value).to_le_bytes();
        let brain: fn(f32) -> [u8; 2] = |value| bf16::from_f32(value).to_le_bytes();
        for (name, dtype, rounded) in [
            ("pytorch/f16.bin", Dtype::F16, half),
            ("pytorch/bf16.bin", Dtype::BF16, brain),
        ] {
            let short = fixture(name);
            let short = raw_tensors(&short).unwrap();
            assert_eq!(short.len(), whole.len());
            for ((name, tensor), (other, expected)) in short.iter().zip(&whole) {
                assert_eq!((name, &tensor.shape), (other, &expected.shape));
                let (values, _) = expected.bytes.as_chunks::<4>();
                let values = values.iter().map(|value| f32::from_le_bytes(*value));
                let bytes: Vec<u8> = values.flat_map(rounded).collect();
                assert_eq!(
                    (tensor.dtype, &tensor.bytes[..]),
                    (dtype, &bytes[..]),
                    "{name}"
                );
            }
        }
    }
}
