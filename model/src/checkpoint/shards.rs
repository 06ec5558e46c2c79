//! Weights in several safetensors files, joined to one.

use std::collections::BTreeMap;
use std::io;

use bytes::Bytes;
use safetensors::tensor::TensorInfo;
use serde_json::Value;

use super::{Source, WeightsFile};
use crate::error::ModelError;

/// The number of bytes before a header, which hold its length.
pub const LENGTH_BYTES: u64 = 8;

/// The key in a header that is no tensor.
const METADATA: &str = "__metadata__";

/// Returns the beginning of the file that holds the tensors of all parts: its header, which the tensors of each part
/// follow, in the order of the parts. Each part has its header, without the length in front, and the number of bytes that
/// follow it.
///
/// # Errors
/// If a header is broken, or of another length than its file, or two parts have a tensor of the same name.
pub fn joined_beginning(parts: &[(Vec<u8>, u64)]) -> Result<Vec<u8>, ModelError> {
    let broken = |part: usize, reason: String| {
        ModelError::Weights(format!("part {} of the weights: {reason}", part + 1))
    };
    let mut joined: BTreeMap<String, TensorInfo> = BTreeMap::new();
    let mut base = 0_usize;
    for (part, (header, bytes)) in parts.iter().enumerate() {
        let tensors: BTreeMap<String, Value> =
            serde_json::from_slice(header).map_err(|error| broken(part, error.to_string()))?;
        let mut end = 0;
        for (name, tensor) in tensors.into_iter().filter(|(name, _)| name != METADATA) {
            let mut tensor: TensorInfo = serde_json::from_value(tensor)
                .map_err(|error| broken(part, format!("`{name}`: {error}")))?;
            let (from, to) = tensor.data_offsets;
            let moved = base.checked_add(from).zip(base.checked_add(to));
            let too_large = || broken(part, format!("`{name}` lies outside of the file"));
            tensor.data_offsets = moved.ok_or_else(too_large)?;
            end = end.max(to);
            if joined.contains_key(&name) {
                return Err(broken(part, format!("`{name}` is in an earlier part, too")));
            }
            joined.insert(name, tensor);
        }
        // Otherwise the tensors of the parts after it would stand elsewhere than their header says.
        if end as u64 != *bytes {
            let reason = format!("its tensors have {end} bytes, and the file has {bytes}");
            return Err(broken(part, reason));
        }
        base = base.saturating_add(end);
    }
    beginning(&joined)
}

/// Returns the beginning of a file with these tensors: the length of its header, and the header.
///
/// # Errors
/// If the header cannot be written.
pub(super) fn beginning(tensors: &BTreeMap<String, TensorInfo>) -> Result<Vec<u8>, ModelError> {
    let mut json = serde_json::to_vec(tensors)?;
    // As the format's own library writes it: tensors begin at a multiple of eight.
    json.resize(json.len().next_multiple_of(8), b' ');
    let mut beginning = (json.len() as u64).to_le_bytes().to_vec();
    beginning.extend(json);
    Ok(beginning)
}

/// A file made of parts of others, read in place.
pub struct Joined {
    parts: Vec<Part>,
    length: u64,
}

/// A part of a file.
struct Part {
    file: WeightsFile,
    /// The position of its first byte in `file`.
    from: u64,
    /// The position of its first byte in the joined file.
    to: u64,
    bytes: u64,
}

impl Joined {
    /// Creates a file with this beginning, which is used whole.
    pub fn new(beginning: WeightsFile) -> Self {
        let mut joined = Joined {
            parts: vec![],
            length: 0,
        };
        let bytes = beginning.source().length();
        joined.push(beginning, 0, bytes);
        joined
    }

    /// Appends `bytes` bytes of a file from a position on.
    pub fn push(&mut self, file: WeightsFile, from: u64, bytes: u64) {
        self.parts.push(Part {
            file,
            from,
            to: self.length,
            bytes,
        });
        self.length = self.length.saturating_add(bytes);
    }
}

impl Source for Joined {
    fn length(&self) -> u64 {
        self.length
    }

    fn read(&self, start: u64, buffer: &mut [u8]) -> io::Result<()> {
        let end = start.saturating_add(buffer.len() as u64);
        if end > self.length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        for part in &self.parts {
            let first = start.max(part.to);
            let last = end.min(part.to.saturating_add(part.bytes));
            if first >= last {
                continue;
            }
            // Both are within the buffer.
            let places = (first - start) as usize..(last - start) as usize;
            let room = buffer.get_mut(places).unwrap_or_default();
            let from = part.from.saturating_add(first - part.to);
            part.file.source().read(from, room)?;
        }
        Ok(())
    }

    fn lend(&self, start: u64, count: u64) -> Option<Bytes> {
        let end = start.checked_add(count)?;
        let is_in = |part: &&Part| part.to <= start && end <= part.to.saturating_add(part.bytes);
        let part = self.parts.iter().find(is_in)?;
        let from = part.from.checked_add(start - part.to)?;
        part.file.source().lend(from, count)
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};
    use safetensors::{Dtype, SafeTensors, tensor::TensorView};

    use super::*;

    fn part(tensors: &[(String, Vec<u8>)]) -> Vec<u8> {
        let view = |(name, bytes): &(String, Vec<u8>)| {
            let view = TensorView::new(Dtype::U8, vec![bytes.len()], bytes).unwrap();
            (name.clone(), view.data().to_vec())
        };
        let owned: Vec<_> = tensors.iter().map(view).collect();
        let views = owned.iter().map(|(name, bytes)| {
            (
                name,
                TensorView::new(Dtype::U8, vec![bytes.len()], bytes).unwrap(),
            )
        });
        safetensors::serialize(views, None).unwrap()
    }

    fn split(file: &[u8]) -> (Vec<u8>, &[u8]) {
        let (length, rest) = file.split_at(8);
        let length = u64::from_le_bytes(length.try_into().unwrap()) as usize;
        (rest[..length].to_vec(), &rest[length..])
    }

    proptest! {
        #[test]
        fn the_joined_file_has_the_tensors_of_all_parts(parts in vec(vec(vec(any::<u8>(), 0..20), 0..4), 1..4)) {
            let mut number = 0;
            let mut named = |bytes: &Vec<u8>| {
                number += 1;
                (format!("t{number}"), bytes.clone())
            };
            let parts: Vec<Vec<_>> = parts.iter().map(|part| part.iter().map(&mut named).collect()).collect();
            let files: Vec<Vec<u8>> = parts.iter().map(|tensors| part(tensors)).collect();
            let split = files.iter().map(|file| split(file));
            let headers: Vec<_> = split.clone().map(|(header, data)| (header, data.len() as u64)).collect();
            let mut joined = joined_beginning(&headers).unwrap();
            joined.extend(split.flat_map(|(_, data)| data.to_vec()));
            let joined = SafeTensors::deserialize(&joined).unwrap();
            prop_assert_eq!(joined.len(), parts.concat().len());
            for (name, bytes) in parts.concat() {
                prop_assert_eq!(joined.tensor(&name).unwrap().data(), &bytes);
            }
        }

        #[test]
        fn any_headers_are_joined_or_refused(headers in vec(any::<(Vec<u8>, u64)>(), 0..3)) {
            let broken = headers.iter().any(|(header, _)| serde_json::from_slice::<Value>(header).is_err());
            prop_assert!(!broken || joined_beginning(&headers).is_err());
        }
    }

    #[test]
    fn joined_parts_are_read_across_their_ends() {
        let mut joined = Joined::new(b"ab".to_vec().into());
        joined.push(b"-cde".to_vec().into(), 1, 3);
        joined.push(vec![].into(), 0, 0);
        joined.push(b"fg-".to_vec().into(), 0, 2);
        assert_eq!(joined.length(), 7);
        for start in 0..=7 {
            for end in start..=7 {
                let part = joined.part(start, end - start).unwrap();
                assert_eq!(part[..], b"abcdefg"[start as usize..end as usize]);
            }
        }
        assert!(joined.part(6, 2).is_err());
        joined.push(b"h".to_vec().into(), 0, 2);
        assert!(joined.part(6, 3).is_err());
    }

    #[test]
    fn a_tensor_twice_and_lengths_that_differ_are_refused() {
        let (header, _) = split(&part(&[("a".to_owned(), vec![1])]));
        let longer = joined_beginning(&[(header.clone(), 2)]).unwrap_err();
        assert!(
            longer
                .to_string()
                .contains("its tensors have 1 bytes, and the file has 2"),
            "{longer}"
        );
        let header = (header, 1);
        let twice = joined_beginning(&[header.clone(), header.clone()]).unwrap_err();
        assert!(
            twice
                .to_string()
                .contains("part 2 of the weights: `a` is in an earlier part"),
            "{twice}"
        );
        let end = usize::MAX;
        let huge = format!(r#"{{"b":{{"dtype":"U8","shape":[1],"data_offsets":[0,{end}]}}}}"#);
        assert!(joined_beginning(&[header, (huge.into_bytes(), end as u64)]).is_err());
    }
}
