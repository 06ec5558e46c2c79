//! The header of a file: version, metadata, and the name, shape, encoding and place of every tensor.

mod metadata;
mod parts;
mod reader;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

pub use self::metadata::{List, Metadata, Scalars, Value};
pub(crate) use self::parts::COUNT;
pub use self::parts::{Joined, Part, PartError, Place, join};
use self::reader::Reader;
use crate::blocks::Encoding;
use crate::error::{GgufError, shown};

/// The letters that a file begins with.
pub const MAGIC: &[u8; 4] = b"GGUF";

/// The most dimensions of a tensor.
const MOST_DIMENSIONS: u32 = 4;
/// The fewest bytes of an entry of the metadata: the length of its key, its type, a value.
const LEAST_ENTRY: u64 = 8 + 4 + 1;
/// The fewest bytes of a tensor's description: the length of its name, dimensions, type, offset.
const LEAST_TENSOR: u64 = 8 + 4 + 8 + 4 + 8;
/// The key of the alignment.
const ALIGNMENT: &str = "general.alignment";
/// The alignment of files that do not give it, in bytes.
const USUAL_ALIGNMENT: u64 = 32;

/// The header of a file. Its texts are borrowed from the bytes that it was read from.
#[derive(Clone, Debug, PartialEq)]
pub struct Header<'a> {
    /// The version of the format, 2 or 3.
    pub version: u32,
    /// The values that describe the model and its tokenizer.
    pub metadata: Metadata<'a>,
    /// The tensors in the order of the file.
    pub tensors: Vec<TensorInfo<'a>>,
    /// The position of the first tensor's bytes in the file, a multiple of the alignment.
    pub data: u64,
}

/// The description of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorInfo<'a> {
    /// The name, as llama.cpp writes it.
    pub name: &'a str,
    /// The dimensions in PyTorch's order, rows first; GGUF has them the other way round.
    pub shape: Vec<u64>,
    /// The encoding of its values.
    pub encoding: Encoding,
    /// The position of its first byte in the file.
    pub start: u64,
    /// The number of its bytes.
    pub bytes: u64,
}

impl<'a> Header<'a> {
    /// Reads the header of a file of `length` bytes from its beginning, `bytes`, which may be all of it. The tensors' own
    /// bytes are not read. Memory is allocated in proportion to the given bytes.
    ///
    /// # Errors
    /// [`GgufError::NeedsMore`] if the header goes on beyond the given bytes; otherwise the first fault.
    pub fn read(bytes: &'a [u8], length: u64) -> Result<Self, GgufError> {
        let mut reader = Reader::new(bytes, length);
        let version = version(&mut reader)?;
        let tensors = reader.u64("the number of tensors")?;
        let entries = reader.u64("the number of entries")?;
        let metadata = metadata(&mut reader, entries)?;
        let alignment = alignment(&metadata)?;
        let tensors = tensor_infos(&mut reader, tensors, alignment)?;
        let data = reader.position().next_multiple_of(alignment);
        let mut header = Header {
            version,
            metadata,
            tensors,
            data,
        };
        header.place(reader.length())?;
        Ok(header)
    }

    /// Makes the tensors' offsets positions in the file, and checks that they are within it and apart.
    fn place(&mut self, length: u64) -> Result<(), GgufError> {
        for tensor in &mut self.tensors {
            let start = u128::from(self.data) + u128::from(tensor.start);
            let end = start + u128::from(tensor.bytes);
            tensor.start = match u64::try_from(start) {
                Ok(start) if end <= u128::from(length) => start,
                _ => {
                    return Err(GgufError::CutShort {
                        field: shown(tensor.name),
                        end,
                        length,
                    });
                }
            };
        }
        let mut places: Vec<&TensorInfo<'_>> = self.tensors.iter().collect();
        places.sort_by_key(|tensor| tensor.start);
        for pair in places.windows(2) {
            if let [first, second] = pair
                && first.start + first.bytes > second.start
            {
                return Err(GgufError::Overlap {
                    field: shown(second.name),
                    other: shown(first.name),
                });
            }
        }
        Ok(())
    }

    /// Returns the tensor with that name.
    pub fn tensor(&self, name: &str) -> Option<&TensorInfo<'a>> {
        self.tensors.iter().find(|tensor| tensor.name == name)
    }
}

fn version(reader: &mut Reader<'_>) -> Result<u32, GgufError> {
    // A short file that begins otherwise is another file, not one that was cut.
    match reader.take(MAGIC.len() as u64, "the letters GGUF") {
        Ok(magic) if magic == MAGIC => {}
        Err(more @ GgufError::NeedsMore(_)) => return Err(more),
        _ => return Err(GgufError::NoGguf),
    }
    match reader.u32("version")? {
        version @ (2 | 3) => Ok(version),
        version if (1..=3).contains(&version.swap_bytes()) => Err(GgufError::BigEndian),
        version => Err(GgufError::Version(version)),
    }
}

fn metadata<'a>(reader: &mut Reader<'a>, entries: u64) -> Result<Metadata<'a>, GgufError> {
    reader.room(entries, LEAST_ENTRY, "the number of entries")?;
    let mut metadata = Metadata::default();
    for _ in 0..entries {
        let key = reader.text("the key of an entry")?;
        let value = reader.value(key)?;
        metadata.insert(key, value)?;
    }
    Ok(metadata)
}

fn alignment(metadata: &Metadata<'_>) -> Result<u64, GgufError> {
    let alignment = metadata.natural(ALIGNMENT)?.unwrap_or(USUAL_ALIGNMENT);
    match u32::try_from(alignment) {
        Ok(alignment) if alignment.is_power_of_two() => Ok(alignment.into()),
        _ => Err(GgufError::value(
            ALIGNMENT,
            alignment,
            "is not a power of two below 2^32",
        )),
    }
}

/// Reads the descriptions of tensors; their `start` is the offset within the data.
fn tensor_infos<'a>(
    reader: &mut Reader<'a>,
    count: u64,
    alignment: u64,
) -> Result<Vec<TensorInfo<'a>>, GgufError> {
    let room = reader.room(count, LEAST_TENSOR, "the number of tensors")?;
    let mut tensors = Vec::with_capacity(room);
    let mut names = BTreeSet::new();
    for _ in 0..count {
        let name = reader.text("the name of a tensor")?;
        if !names.insert(name) {
            return Err(GgufError::Twice { field: shown(name) });
        }
        let dimensions = dimensions(reader, name)?;
        let encoding = encoding(reader.u32(name)?, name)?;
        let bytes = bytes(&dimensions, encoding, name)?;
        let offset = reader.u64(name)?;
        if !offset.is_multiple_of(alignment) {
            return Err(GgufError::Offset {
                field: shown(name),
                offset,
                alignment,
            });
        }
        tensors.push(TensorInfo {
            name,
            shape: dimensions.into_iter().rev().collect(),
            encoding,
            start: offset,
            bytes,
        });
    }
    Ok(tensors)
}

fn dimensions(reader: &mut Reader<'_>, name: &str) -> Result<Vec<u64>, GgufError> {
    let refused = |dimensions: String| GgufError::Dimensions {
        field: shown(name),
        dimensions,
    };
    let count = reader.u32(name)?;
    if !(1..=MOST_DIMENSIONS).contains(&count) {
        return Err(refused(format!("(there are {count})")));
    }
    let dimensions: Result<Vec<u64>, GgufError> = (0..count).map(|_| reader.u64(name)).collect();
    let dimensions = dimensions?;
    match dimensions.contains(&0) {
        true => Err(refused(format!("{dimensions:?}"))),
        false => Ok(dimensions),
    }
}

fn encoding(number: u32, name: &str) -> Result<Encoding, GgufError> {
    Encoding::of(number).ok_or_else(|| GgufError::Encoding {
        field: shown(name),
        stored: Encoding::other_name(number),
        implemented: Encoding::ALL.map(Encoding::name).join(", "),
    })
}

/// Returns the number of bytes of a tensor.
fn bytes(dimensions: &[u64], encoding: Encoding, name: &str) -> Result<u64, GgufError> {
    let width = dimensions.first().copied().unwrap_or(1);
    let block = encoding.block_values();
    if !width.is_multiple_of(block as u64) {
        return Err(GgufError::Rows {
            field: shown(name),
            width,
            block,
        });
    }
    let values = dimensions
        .iter()
        .try_fold(1_u64, |product, &dimension| product.checked_mul(dimension));
    let bytes = values
        .and_then(|values| (values / block as u64).checked_mul(encoding.block_bytes() as u64));
    bytes.ok_or_else(|| GgufError::Size {
        field: shown(name),
        dimensions: format!("{dimensions:?}"),
    })
}
