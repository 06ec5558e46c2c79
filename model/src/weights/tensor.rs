//! The tensors of a file of weights, whichever format it has, at their places in it.

use std::borrow::Cow;
use std::io;
use std::ops::Range;

use attention_gguf::{Encoding, Floats, Gguf, GgufError, Half, Header, MAGIC, Order, Placed};
use attention_pytorch::{Source, TensorInfo};
use safetensors::Dtype;

use super::raw::{RawTensor, raw_tensors};
use crate::error::ModelError;

/// The bytes of a GGUF file that are read first; more follow if its header needs them.
const FIRST_BYTES: u64 = 1 << 20;

/// A tensor of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum StoredTensor {
    /// Floats, or quantised values that become floats.
    Floats(StoredFloats),
    /// Values of another type, which no model reads.
    Other {
        /// The type of the values.
        dtype: Dtype,
        /// The size of each dimension.
        shape: Vec<usize>,
    },
}

/// Floats of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFloats {
    /// The floats, and their place.
    pub placed: Placed,
    /// The strides of values that do not follow one another, which PyTorch's files have.
    scattered: Option<TensorInfo>,
}

impl From<Placed> for StoredFloats {
    fn from(placed: Placed) -> Self {
        StoredFloats {
            placed,
            scattered: None,
        }
    }
}

impl StoredFloats {
    /// Divides the floats into stretches of at most so many bytes, or as few as can be read without others.
    pub fn stretches(&self, most_bytes: u64) -> Vec<Self> {
        match self.scattered {
            Some(_) => vec![self.clone()],
            None => self
                .placed
                .stretches(most_bytes)
                .into_iter()
                .map(Self::from)
                .collect(),
        }
    }

    /// Divides the floats into stretches that take at most so many bytes once they are loaded as they are stored.
    pub fn loaded_within(&self, most_bytes: u64) -> Vec<Self> {
        let (stored, loaded) = (self.placed.bytes, self.placed.loaded_bytes());
        match loaded > most_bytes {
            true => {
                let most = u128::from(most_bytes) * u128::from(stored) / u128::from(loaded);
                // No more than there are.
                self.stretches(most as u64)
            }
            false => vec![self.clone()],
        }
    }

    /// Returns the format of a matrix of floats of 16 bits that kernels can read where it lies in the file; `None` for another
    /// tensor.
    pub fn half_in_place(&self) -> Option<Half> {
        match self.scattered {
            Some(_) => None,
            None => self.placed.half_in_place(),
        }
    }

    /// Reads the floats from their file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read<'a>(&self, file: &'a dyn Source) -> io::Result<Floats<'a>> {
        self.floats(file.part(self.placed.start, self.placed.bytes)?)
    }

    /// Returns the floats, whose bytes in the file are `bytes`.
    ///
    /// # Errors
    /// If memory has no room for values that are scattered.
    pub fn floats<'a>(&self, bytes: Cow<'a, [u8]>) -> io::Result<Floats<'a>> {
        let bytes = match &self.scattered {
            None => bytes,
            Some(tensor) => {
                let values = tensor.values(&bytes).map(Cow::into_owned);
                Cow::Owned(values.ok_or(io::ErrorKind::OutOfMemory)?)
            }
        };
        Ok(self.placed.floats(bytes))
    }
}

impl StoredTensor {
    /// The shape in `model.safetensors`.
    pub fn shape(&self) -> &[usize] {
        match self {
            StoredTensor::Floats(floats) => &floats.placed.shape,
            StoredTensor::Other { shape, .. } => shape,
        }
    }

    /// Returns these rows of a matrix; `None` if its rows do not follow one another.
    pub fn rows(&self, rows: Range<usize>) -> Option<Self> {
        match self {
            StoredTensor::Floats(floats) => {
                let follow = floats.scattered.is_none() && floats.placed.together() == 1;
                follow.then(|| StoredTensor::Floats(floats.placed.rows(rows).into()))
            }
            StoredTensor::Other { dtype, shape } => {
                let mut shape = shape.clone();
                *shape.first_mut()? = rows.len();
                Some(StoredTensor::Other {
                    dtype: *dtype,
                    shape,
                })
            }
        }
    }
}

/// Returns the tensors of a safetensors or GGUF file or of a `pytorch_model.bin`, under their names in
/// `model.safetensors`. Their values are not read.
///
/// # Errors
/// If it is not a file of one of these formats, or cannot be read.
pub fn tensors(file: &dyn Source) -> Result<Vec<(String, StoredTensor)>, ModelError> {
    if is_gguf(file) {
        let beginning = gguf_beginning(file)?;
        let placed = gguf(&beginning, file)?.weights()?.into_iter();
        return Ok(placed
            .map(|(name, placed)| (name, StoredTensor::Floats(placed.into())))
            .collect());
    }
    let raw = raw_tensors(file)?.into_iter();
    Ok(raw.map(|raw| (raw.name.clone(), stored(raw))).collect())
}

/// Returns true if a file begins as a GGUF file. One that cannot be read is found out later.
pub fn is_gguf(file: &dyn Source) -> bool {
    begins_with(file, MAGIC)
}

/// Returns true if a file begins with these bytes.
pub fn begins_with(file: &dyn Source, magic: &[u8]) -> bool {
    file.part(0, magic.len() as u64)
        .is_ok_and(|bytes| bytes == magic)
}

/// Reads so much of a GGUF file that its header is in it.
///
/// # Errors
/// If it cannot be read. Other faults are found by [`gguf`].
pub fn gguf_beginning(file: &dyn Source) -> Result<Cow<'_, [u8]>, ModelError> {
    let length = file.length();
    let mut to = FIRST_BYTES.min(length);
    loop {
        let beginning = file.part(0, to).map_err(ModelError::Read)?;
        match Header::read(&beginning, length) {
            Err(GgufError::NeedsMore(least)) if to < length => {
                to = least.max(2 * to).min(length);
            }
            _ => return Ok(beginning),
        }
    }
}

/// Opens a GGUF file from its beginning.
///
/// # Errors
/// If it has a fault, or cannot be read.
pub fn gguf<'a>(beginning: &'a [u8], file: &'a dyn Source) -> Result<Gguf<'a>, ModelError> {
    Gguf::open(beginning, file.length(), |tensor| {
        let bytes = file.part(tensor.start, tensor.bytes);
        bytes.map_err(ModelError::Read)
    })
}

/// Returns a tensor of a safetensors file or of a `pytorch_model.bin`.
fn stored(raw: RawTensor) -> StoredTensor {
    let RawTensor {
        dtype,
        shape,
        start,
        bytes,
        scattered,
        ..
    } = raw;
    let Some(encoding) = encoding(dtype) else {
        return StoredTensor::Other { dtype, shape };
    };
    let placed = Placed {
        shape,
        encoding,
        order: Order::Same,
        start,
        bytes,
        with_one: false,
    };
    StoredTensor::Floats(StoredFloats { placed, scattered })
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
        let raw = RawTensor {
            name: "w".to_owned(),
            dtype,
            shape: vec![count],
            start: 0,
            bytes: bytes.len() as u64,
            scattered: None,
        };
        match stored(raw) {
            StoredTensor::Floats(floats) => floats.placed.floats(bytes.into()),
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

    /// A safetensors file with this header before so many bytes.
    fn safetensors(header: &str, bytes: usize) -> Vec<u8> {
        let length = (header.len() as u64).to_le_bytes();
        [&length, header.as_bytes(), &vec![0; bytes]].concat()
    }

    #[test]
    fn a_safetensors_file_is_read_from_its_header() {
        let header = r#"{"b":{"dtype":"BF16","shape":[2,3],"data_offsets":[8,20]},
                         "a":{"dtype":"I64","shape":[],"data_offsets":[0,8]}}"#;
        let file = safetensors(header, 20);
        let found = tensors(&file).unwrap();
        let expected = safetensors::SafeTensors::deserialize(&file).unwrap();
        assert_eq!(found.len(), expected.len());
        for (name, tensor) in found {
            let view = expected.tensor(&name).unwrap();
            assert_eq!(tensor.shape(), view.shape());
            match tensor {
                StoredTensor::Floats(floats) => {
                    assert_eq!(*floats.read(&file).unwrap().bytes, *view.data());
                }
                StoredTensor::Other { dtype, .. } => assert_eq!(dtype, Dtype::I64),
            }
        }
    }

    #[test]
    fn a_safetensors_file_that_lies_is_refused() {
        let one = |offsets: &str, shape: &str| {
            let tensor = format!(r#"{{"dtype":"F32","shape":{shape},"data_offsets":{offsets}}}"#);
            format!(r#"{{"a":{tensor}}}"#)
        };
        for (file, words) in [
            (vec![1, 2], "shorter than the length of a header"),
            (u64::MAX.to_le_bytes().to_vec(), "longer than the file"),
            (safetensors("[]", 0), "its header: "),
            (
                safetensors(&one("[4,8]", "[1]"), 8),
                "its header: invalid offset for tensor `a`",
            ),
            (safetensors(&one("[0,8]", "[3]"), 8), "its header: "),
            (
                safetensors(&one("[0,8]", "[4294967296,4294967296]"), 8),
                "its header: ",
            ),
            (
                safetensors(&one("[0,8]", "[2]"), 7),
                "its tensors have 8 bytes, and 7 follow its header",
            ),
        ] {
            let error = tensors(&file).unwrap_err().to_string();
            assert!(
                error.contains(words) && error.contains("perhaps it was cut short"),
                "{error}"
            );
        }
    }
}
