//! The tensors of a safetensors file or of a `pytorch_model.bin`, at their places in it.

#[cfg(feature = "tokenizers")]
use std::borrow::Cow;
#[cfg(feature = "tokenizers")]
use std::io;

use attention_pytorch::{Index, MAGIC, PytorchError, Source, TensorInfo};
use safetensors::Dtype;
use safetensors::tensor::Metadata;

use super::tensor::begins_with;
use crate::error::ModelError;

/// The file in which PyTorch stores weights.
pub const PYTORCH_FILE: &str = "pytorch_model.bin";
/// The length before a safetensors header, in bytes.
const LENGTH_BYTES: u64 = 8;
/// The longest header that safetensors allows, in bytes.
const LONGEST_HEADER: u64 = 100_000_000;

/// A tensor at its place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawTensor {
    /// The name in the file.
    pub name: String,
    /// The type of the values.
    pub dtype: Dtype,
    /// The size of each dimension.
    pub shape: Vec<usize>,
    /// The position of the first byte in the file.
    pub start: u64,
    /// The number of bytes from the first value to the last.
    pub bytes: u64,
    /// The strides of values that do not follow one another, which PyTorch's files have.
    pub scattered: Option<TensorInfo>,
}

impl RawTensor {
    /// Reads the bytes of the values, the last dimension fastest.
    ///
    /// # Errors
    /// If the file cannot be read, or memory has no room for values that are scattered.
    #[cfg(feature = "tokenizers")]
    pub fn values<'a>(&self, file: &'a dyn Source) -> io::Result<Cow<'a, [u8]>> {
        let bytes = file.part(self.start, self.bytes)?;
        match &self.scattered {
            None => Ok(bytes),
            Some(tensor) => {
                let values = tensor.values(&bytes).map(Cow::into_owned);
                Ok(Cow::Owned(values.ok_or(io::ErrorKind::OutOfMemory)?))
            }
        }
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

/// Returns the tensors of a safetensors file or of a `pytorch_model.bin`. Their values are not read.
///
/// # Errors
/// If it is no file of either format, or cannot be read.
pub fn raw_tensors(file: &dyn Source) -> Result<Vec<RawTensor>, ModelError> {
    match is_pytorch(file) {
        true => of_pytorch(file),
        false => of_safetensors(file),
    }
}

fn of_pytorch(file: &dyn Source) -> Result<Vec<RawTensor>, ModelError> {
    let fault = |error| match error {
        PytorchError::Source(error) => ModelError::Read(error),
        error => pytorch_fault(error),
    };
    let index = Index::read(file).map_err(fault)?;
    index.check_scattered(file.length()).map_err(fault)?;
    let tensors = index.tensors.into_iter().map(|tensor| {
        Ok(RawTensor {
            name: tensor.name.clone(),
            dtype: dtype(tensor.dtype),
            shape: tensor.sizes().map_err(fault)?,
            start: tensor.start,
            bytes: tensor.bytes,
            scattered: (!tensor.is_contiguous()).then_some(tensor),
        })
    });
    tensors.collect()
}

fn of_safetensors(file: &dyn Source) -> Result<Vec<RawTensor>, ModelError> {
    let broken = |fault: &str| {
        ModelError::Weights(format!(
            "it is not a complete safetensors file ({fault}); perhaps it was cut short"
        ))
    };
    let length = file.length();
    if length < LENGTH_BYTES {
        return Err(broken("it is shorter than the length of a header"));
    }
    let first = file.part(0, LENGTH_BYTES).map_err(ModelError::Read)?;
    let header = <[u8; 8]>::try_from(&first[..]).map_or(0, u64::from_le_bytes);
    let data = header.saturating_add(LENGTH_BYTES);
    if header > LONGEST_HEADER || data > length {
        return Err(broken("its header is longer than the file"));
    }
    let header = file.part(LENGTH_BYTES, header).map_err(ModelError::Read)?;
    // Its offsets and sizes are checked, too.
    let header: Metadata =
        serde_json::from_slice(&header).map_err(|error| broken(&format!("its header: {error}")))?;
    let end = header.data_len() as u64;
    if data.checked_add(end) != Some(length) {
        return Err(broken(&format!(
            "its tensors have {end} bytes, and {} follow its header",
            length - data
        )));
    }
    let named = header.tensors().into_iter();
    let tensors = named.map(|(name, info)| {
        let (from, to) = info.data_offsets;
        RawTensor {
            name,
            dtype: info.dtype,
            shape: info.shape.clone(),
            start: data + from as u64,
            bytes: (to - from) as u64,
            scattered: None,
        }
    });
    Ok(tensors.collect())
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

    /// The name, type, shape and bytes of a tensor.
    type Contents = (String, Dtype, Vec<usize>, Vec<u8>);

    fn contents(file: &dyn Source) -> Vec<Contents> {
        let tensors = raw_tensors(file).unwrap().into_iter();
        tensors
            .map(|tensor| {
                let values = tensor.values(file).unwrap().into_owned();
                (tensor.name, tensor.dtype, tensor.shape, values)
            })
            .collect()
    }

    #[test]
    fn both_formats_hold_the_same_bits() {
        let expected = contents(&fixture("tiny/padded-vocabulary/model.safetensors"));
        let found = contents(&fixture("pytorch/whole.bin"));
        // The tied matrix has both its names.
        assert_eq!(found.len(), expected.len() + 1);
        for (name, dtype, shape, values) in found {
            let name = name.replace("lm_head", "model.embed_tokens");
            let tensor = (name, dtype, shape, values);
            assert!(expected.contains(&tensor), "{}", tensor.0);
        }
    }

    #[test]
    fn half_precision_is_that_of_torch() {
        let whole = contents(&fixture("pytorch/f32.bin"));
        let half: fn(f32) -> [u8; 2] = |value| f16::from_f32(value).to_le_bytes();
        let brain: fn(f32) -> [u8; 2] = |value| bf16::from_f32(value).to_le_bytes();
        for (name, dtype, rounded) in [
            ("pytorch/f16.bin", Dtype::F16, half),
            ("pytorch/bf16.bin", Dtype::BF16, brain),
        ] {
            let short = contents(&fixture(name));
            assert_eq!(short.len(), whole.len());
            for (found, (name, _, shape, values)) in short.into_iter().zip(&whole) {
                let (values, _) = values.as_chunks::<4>();
                let values = values.iter().map(|value| f32::from_le_bytes(*value));
                let expected = (
                    name.clone(),
                    dtype,
                    shape.clone(),
                    values.flat_map(rounded).collect(),
                );
                assert!(found == expected, "{name}");
            }
        }
    }
}
