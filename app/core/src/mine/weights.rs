//! Sizes read from the header of a safetensors file.

use std::collections::BTreeMap;

use attention_protocol::FilesFault;
use attention_trace::card::FileTensor;
use serde_json::{Map, Value};

use crate::widgets::numbers::percent;

/// The number of bytes before the header, which hold its length.
pub const LENGTH_BYTES: u64 = 8;
/// The length in bytes of the longest header that safetensors allows.
const LONGEST_HEADER: u64 = 100_000_000;
/// The number of bytes of WebAssembly's 4 GiB that weights may take; a pass over a text needs the rest.
const MEMORY_BYTES: u64 = 7 << 29;

/// Returns the length of the header of a file of `bytes` from its first eight bytes.
///
/// # Errors
/// If the file has no room for such a header.
pub fn header_bytes(first: &[u8], bytes: u64) -> Result<u64, FilesFault> {
    let length = u64::from_le_bytes(first.try_into().map_err(|_| no_header())?);
    let is_possible = length <= LONGEST_HEADER && LENGTH_BYTES.saturating_add(length) <= bytes;
    is_possible.then_some(length).ok_or_else(no_header)
}

/// The number of weights of each type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Types {
    weights: BTreeMap<String, u64>,
    /// The number of those in matrices of floats of 16 bits.
    halves: u64,
}

impl Types {
    /// Counts the weights in the tensors of a header, and returns these.
    ///
    /// # Errors
    /// If the text is not a safetensors header.
    pub fn add_header(&mut self, header: &[u8]) -> Result<Vec<FileTensor>, FilesFault> {
        let mut found = Vec::new();
        let tensors: Map<String, Value> =
            serde_json::from_slice(header).map_err(|_| no_header())?;
        for (name, tensor) in tensors.iter().filter(|(name, _)| *name != "__metadata__") {
            let counted = counted(tensor).and_then(|tensor| {
                self.add(tensor.name, tensor.weights)?;
                // No more than there are weights.
                self.halves += if tensor.is_half_matrix() {
                    tensor.weights
                } else {
                    0
                };
                Some(())
            });
            counted.ok_or_else(no_header)?;
            found.push(described(name, tensor).ok_or_else(no_header)?);
        }
        Ok(found)
    }

    /// Adds the weights of a tensor; `None` if there are more than 2⁶⁴ together.
    pub fn add(&mut self, name: &str, weights: u64) -> Option<()> {
        self.weights().checked_add(weights)?;
        *self.weights.entry(name.to_owned()).or_default() += weights;
        Some(())
    }

    /// Returns the number of weights of all types.
    pub fn weights(&self) -> u64 {
        self.weights.values().sum()
    }

    /// Returns the bytes that the weights of a safetensors file take once they are loaded: 32 bits each; 16 in matrices that
    /// stay as they are stored, if the model `keeps_stored` ones.
    pub fn loaded_bytes(&self, keeps_stored: bool) -> u64 {
        let halves = if keeps_stored { self.halves } else { 0 };
        let wide = (self.weights() - halves).saturating_mul(4);
        wide.saturating_add(halves.saturating_mul(2))
    }

    /// Returns the types with their shares of the weights: `Q4_1 86.9 %, Q8_0 13.1 %`.
    pub fn shares(&self) -> String {
        let all = self.weights().max(1) as f32;
        let list = self.list().into_iter();
        let shares =
            list.map(|(name, weights)| format!("{name} {}", percent(weights as f32 / all, 1)));
        shares.collect::<Vec<_>>().join(", ")
    }

    /// Returns the names of the types with their numbers of weights, the most frequent first.
    pub fn list(&self) -> Vec<(&str, u64)> {
        let mut list: Vec<(&str, u64)> = self
            .weights
            .iter()
            .map(|(name, &count)| (name.as_str(), count))
            .collect();
        list.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        list
    }
}

/// A tensor of a header.
struct Counted<'a> {
    /// The name of its type.
    name: &'a str,
    axes: usize,
    weights: u64,
}

impl Counted<'_> {
    fn is_half_matrix(&self) -> bool {
        self.axes == 2 && matches!(self.name, "F16" | "BF16")
    }
}

fn counted(tensor: &Value) -> Option<Counted<'_>> {
    let shape = tensor.get("shape")?.as_array()?;
    let mut axes = shape.iter().map(Value::as_u64);
    let weights = axes.try_fold(1_u64, |count, axis| count.checked_mul(axis?))?;
    Some(Counted {
        name: tensor.get("dtype")?.as_str()?,
        axes: shape.len(),
        weights,
    })
}

fn described(name: &str, tensor: &Value) -> Option<FileTensor> {
    let sizes = tensor.get("shape")?.as_array()?.iter();
    Some(FileTensor {
        name: name.to_owned(),
        encoding: tensor.get("dtype")?.as_str()?.to_owned(),
        shape: sizes.map(Value::as_u64).collect::<Option<_>>()?,
    })
}

/// Checks that a file whose weights take so many bytes can be loaded. Of the file itself, a stretch is in memory at a time.
///
/// # Errors
/// If WebAssembly has too little memory. An engine may have less than others; it says so when it is to load the model.
pub fn check_size(loaded_bytes: u64) -> Result<(), FilesFault> {
    match loaded_bytes > MEMORY_BYTES {
        true => Err(FilesFault::TooLarge {
            bytes: loaded_bytes,
            limit: MEMORY_BYTES,
        }),
        false => Ok(()),
    }
}

fn no_header() -> FilesFault {
    FilesFault::Unfit {
        reason: "model.safetensors does not begin as a safetensors file does".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_are_counted_by_their_shapes() {
        let header = br#"{"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[3,4],"data_offsets":[0,48]},
                         "b":{"dtype":"F16","shape":[5],"data_offsets":[48,58]},"c":{"dtype":"F32","shape":[],"data_offsets":[58,62]}}"#;
        let mut types = Types::default();
        let tensors = types.add_header(header).unwrap();
        let sizes: Vec<_> = tensors
            .iter()
            .map(|tensor| tensor.written_shape())
            .collect();
        assert_eq!(sizes, ["3 × 4", "5", "1"]);
        assert_eq!(types.weights(), 18);
        assert_eq!(types.list(), [("F32", 13), ("F16", 5)]);
        // Vectors become f32 in every family.
        assert_eq!(types.loaded_bytes(true), 4 * 18);
        let matrix = br#"{"d":{"dtype":"BF16","shape":[2,7],"data_offsets":[0,28]}}"#;
        assert!(types.add_header(matrix).is_ok());
        assert_eq!(types.loaded_bytes(true), 4 * 18 + 2 * 14);
        assert_eq!(types.loaded_bytes(false), 4 * 32);
        let huge = r#"{"a":{"dtype":"F32","shape":[4294967296,4294967296]}}"#;
        for wrong in [
            "",
            "[]",
            "{\"a\":1}",
            "{\"a\":{\"dtype\":\"F32\",\"shape\":[-1]}}",
            huge,
        ] {
            assert_eq!(
                Types::default().add_header(wrong.as_bytes()),
                Err(no_header()),
                "{wrong}"
            );
        }
    }

    #[test]
    fn a_header_lies_within_its_file() {
        let first = 90_u64.to_le_bytes();
        assert_eq!(header_bytes(&first, 98), Ok(90));
        assert_eq!(header_bytes(&first, 97), Err(no_header()));
        assert_eq!(header_bytes(&first[..7], 98), Err(no_header()));
        assert_eq!(header_bytes(b"version ", 134), Err(no_header()));
    }

    #[test]
    fn what_fits_in_memory_is_taken() {
        // SmolLM2-135M in 32 bits.
        assert_eq!(check_size(538_060_032), Ok(()));
        // 1.7 billion weights that stay in 16 bits.
        assert_eq!(check_size(3_440_000_000), Ok(()));
        let limit = 3_758_096_384;
        let bytes = limit + 1;
        assert_eq!(check_size(limit), Ok(()));
        assert_eq!(
            check_size(bytes),
            Err(FilesFault::TooLarge { bytes, limit })
        );
    }

    proptest! {
        #[test]
        #[expect(
            clippy::let_underscore_must_use,
            reason = "a refusal is an answer; a panic is none"
        )]
        fn any_header_is_read_or_refused(header in any::<Vec<u8>>(), bytes in any::<u64>()) {
            let _ = Types::default().add_header(&header);
            let _ = header_bytes(&header, bytes);
            let _ = check_size(bytes);
        }
    }
}
