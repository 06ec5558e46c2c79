//! Models in several files: the header of the file that they make together, and the places of their tensors in it.

use std::collections::BTreeSet;

use thiserror::Error;

use super::reader::Reader;
use super::{Header, alignment, version};
use crate::error::{GgufError, shown};
use crate::header::{MAGIC, TensorInfo};

/// The beginning of the keys that tell the parts of a model apart.
const SPLIT: &str = "split.";
/// The key of a part's number, from 0 on.
const NUMBER: &str = "split.no";
/// The key of the number of parts.
pub(crate) const COUNT: &str = "split.count";
/// The key of the number of tensors of all parts.
const TENSORS: &str = "split.tensors.count";
/// The version of the format that is written.
const VERSION: u32 = 3;

/// The beginning of one of the files of a model, with at least its header.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// The first bytes of the file.
    pub beginning: &'a [u8],
    /// The length of the file in bytes.
    pub length: u64,
}

/// The file that the parts of a model make together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    /// The header, and the bytes up to the first tensor.
    pub beginning: Vec<u8>,
    /// The places of all tensors.
    pub places: Vec<Place>,
    /// The length of the whole file in bytes.
    pub length: u64,
}

/// The place of a tensor in its part and in the whole file, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The index of the part.
    pub part: usize,
    /// The tensor's first byte in the part.
    pub from: u64,
    /// The tensor's first byte in the whole file.
    pub to: u64,
    /// The number of the tensor's bytes.
    pub bytes: u64,
}

/// A fault of one of the parts.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("part {}: {error}", part + 1)]
pub struct PartError {
    /// The index of the part.
    pub part: usize,
    /// The fault of the file.
    pub error: GgufError,
}

/// Returns the file that parts make together, which has the metadata of the first and the tensors of all.
///
/// # Errors
/// The first fault of a part; [`GgufError::NeedsMore`] if its header goes on beyond the given bytes.
pub fn join(parts: &[Part<'_>]) -> Result<Joined, PartError> {
    let of_part = |part: usize| move |error| PartError { part, error };
    let mut headers = vec![];
    for (number, part) in parts.iter().enumerate() {
        let header = Header::read(part.beginning, part.length).map_err(of_part(number))?;
        check(&header, number, parts.len()).map_err(of_part(number))?;
        headers.push(header);
    }
    let [first, ..] = headers.as_slice() else {
        return Err(of_part(0)(GgufError::missing(COUNT)));
    };
    let found = headers.iter().map(|header| header.tensors.len() as u64);
    check_count(first, found.sum()).map_err(of_part(0))?;
    let entries = entries(parts[0]).map_err(of_part(0))?;
    let mut whole = Whole::new(alignment(&first.metadata).map_err(of_part(0))?);
    for (part, header) in headers.iter().enumerate() {
        for tensor in &header.tensors {
            whole.add(part, tensor).map_err(of_part(part))?;
        }
    }
    Ok(whole.joined(&entries))
}

/// Checks the place of a part among the others.
fn check(header: &Header<'_>, number: usize, parts: usize) -> Result<(), GgufError> {
    for (key, expected, fault) in [
        (COUNT, parts, "is not the number of files"),
        (
            NUMBER,
            number,
            "is not the number of the file's name less 1",
        ),
    ] {
        let found = header.metadata.natural(key)?;
        let found = found.ok_or_else(|| GgufError::missing(key))?;
        if found != expected as u64 {
            return Err(GgufError::value(key, found, format!("{fault}, {expected}")));
        }
    }
    Ok(())
}

fn check_count(first: &Header<'_>, found: u64) -> Result<(), GgufError> {
    match first.metadata.natural(TENSORS)? {
        Some(tensors) if tensors != found => {
            let fault = format!("tensors make the model, and its parts have {found}");
            Err(GgufError::value(TENSORS, tensors, fault))
        }
        _ => Ok(()),
    }
}

/// Returns the entries of the metadata as they are stored, without those about parts.
fn entries<'a>(part: Part<'a>) -> Result<Vec<&'a [u8]>, GgufError> {
    let mut reader = Reader::new(part.beginning, part.length);
    version(&mut reader)?;
    reader.u64("the number of tensors")?;
    let count = reader.u64("the number of entries")?;
    let mut entries = vec![];
    for _ in 0..count {
        let start = reader.clone();
        let key = reader.text("the key of an entry")?;
        reader.value(key)?;
        if !key.starts_with(SPLIT) {
            entries.push(start.until(&reader));
        }
    }
    Ok(entries)
}

/// The whole file while tensors are added to it.
struct Whole<'a> {
    alignment: u64,
    /// The bytes of the tensors so far.
    data: u64,
    names: BTreeSet<&'a str>,
    tensors: Vec<u8>,
    /// The places; those in the whole file count from its first tensor.
    places: Vec<Place>,
}

impl<'a> Whole<'a> {
    fn new(alignment: u64) -> Self {
        Whole {
            alignment,
            data: 0,
            names: BTreeSet::new(),
            tensors: vec![],
            places: vec![],
        }
    }

    fn add(&mut self, part: usize, tensor: &TensorInfo<'a>) -> Result<(), GgufError> {
        let field = || shown(tensor.name);
        if !self.names.insert(tensor.name) {
            return Err(GgufError::Twice { field: field() });
        }
        let too_large = || GgufError::Size {
            field: field(),
            dimensions: format!("{:?}", tensor.shape),
        };
        let to = self.data.checked_next_multiple_of(self.alignment);
        let to = to.ok_or_else(too_large)?;
        self.data = to.checked_add(tensor.bytes).ok_or_else(too_large)?;
        let info = &mut self.tensors;
        push_text(info, tensor.name);
        info.extend((tensor.shape.len() as u32).to_le_bytes());
        info.extend(
            tensor
                .shape
                .iter()
                .rev()
                .flat_map(|size| size.to_le_bytes()),
        );
        info.extend(tensor.encoding.number().to_le_bytes());
        info.extend(to.to_le_bytes());
        self.places.push(Place {
            part,
            from: tensor.start,
            to,
            bytes: tensor.bytes,
        });
        Ok(())
    }

    fn joined(mut self, entries: &[&[u8]]) -> Joined {
        let mut beginning = MAGIC.to_vec();
        beginning.extend(VERSION.to_le_bytes());
        beginning.extend((self.places.len() as u64).to_le_bytes());
        beginning.extend((entries.len() as u64).to_le_bytes());
        beginning.extend(entries.concat());
        beginning.extend(&self.tensors);
        // The alignment is below 2^32, and a header fits memory.
        let start = (beginning.len() as u64).next_multiple_of(self.alignment);
        beginning.resize(start as usize, 0);
        for place in &mut self.places {
            place.to = place.to.saturating_add(start);
        }
        Joined {
            beginning,
            places: self.places,
            length: start.saturating_add(self.data),
        }
    }
}

fn push_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text.as_bytes());
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::written::Written;

    /// A part with the metadata of a model, and one tensor.
    fn part(number: u32, count: u32, name: &str) -> Written {
        Written::model("llama")
            .with_tensors(vec![])
            .with_text("general.name", "Tiny")
            .with_number(NUMBER, number)
            .with_number(COUNT, count)
            .with_number("general.alignment", 16)
            .with_tensor(name, &[3, 2])
    }

    fn joined(parts: &[Written]) -> Result<Joined, PartError> {
        let files: Vec<Vec<u8>> = parts.iter().map(Written::bytes).collect();
        let parts = files.iter().map(|file| Part {
            beginning: file,
            length: file.len() as u64,
        });
        join(&parts.collect::<Vec<_>>())
    }

    #[test]
    fn parts_make_one_file() {
        let parts = [part(0, 2, "a.weight"), part(1, 2, "b.weight")];
        let found = joined(&parts).unwrap();
        let whole = Header::read(&found.beginning, found.length).unwrap();
        assert_eq!(whole.metadata.text("general.name"), Ok(Some("Tiny")));
        assert_eq!(whole.metadata.get(COUNT), None);
        let tensors = whole.tensors.iter().zip(&found.places);
        let tensors = tensors.map(|(tensor, place)| {
            assert_eq!((tensor.start, tensor.bytes), (place.to, place.bytes));
            assert!(place.to.is_multiple_of(16));
            (tensor.name, tensor.shape.clone(), place.part)
        });
        let expected = [("a.weight", vec![2, 3], 0), ("b.weight", vec![2, 3], 1)];
        assert_eq!(tensors.collect::<Vec<_>>(), expected);
        assert_eq!(found.length, found.places[1].to + 24);
    }

    #[test]
    fn parts_that_do_not_belong_together_are_refused() {
        let first = || part(0, 2, "a.weight");
        for (parts, words) in [
            (
                vec![first()],
                "part 1: split.count: 2 is not the number of files, 1",
            ),
            (
                vec![first(), part(0, 2, "b.weight")],
                "part 2: split.no: 0 is not the number of the file's name less 1, 1",
            ),
            (
                vec![first(), part(1, 2, "a.weight")],
                "part 2: a.weight: it is there twice",
            ),
            (
                vec![first().with_number(TENSORS, 3), part(1, 2, "b.weight")],
                "part 1: split.tensors.count: 3 tensors make the model, and its parts have 2",
            ),
            (
                vec![first(), Written::model("llama")],
                "part 2: split.count: it is missing",
            ),
            (vec![], "part 1: split.count: it is missing"),
        ] {
            assert_eq!(joined(&parts).unwrap_err().to_string(), words);
        }
    }
}
