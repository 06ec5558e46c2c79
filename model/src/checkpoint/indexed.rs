//! Weights in several files with an index, as one file: its tensors are read from the parts, or stay in them.

use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::sync::Arc;

use attention_pytorch::Source;
use safetensors::tensor::TensorInfo;
use serde::Deserialize;

use super::shards::{Joined, beginning};
use super::{Backing, WeightsFile};
use crate::error::ModelError;
use crate::files::{LARGEST_TEXT, LARGEST_WEIGHTS, OnDisk, read_regular};
use crate::weights::raw::{RawTensor, raw_tensors};

/// The number of tensors, on average, that may be views of the same bytes of a part: tied matrices are two or three.
const MOST_SHARED: u64 = 2;

/// The contents of an index, which lists the parts.
#[derive(Deserialize)]
struct Index {
    /// The file of each tensor.
    weight_map: BTreeMap<String, String>,
}

/// A part with its tensors.
struct Part {
    file: Arc<OnDisk>,
    tensors: BTreeMap<String, RawTensor>,
}

/// Opens the weights of a checkpoint in several files, each by `open_part`, as one safetensors file. Of the parts, nothing but
/// the places of tensors is read, except for tensors whose values PyTorch stores apart.
///
/// # Errors
/// If a file cannot be read, is no file of weights, or lacks a tensor of the index.
pub fn open(
    directory: &Path,
    index: &str,
    open_part: fn(&Path) -> Result<OnDisk, ModelError>,
) -> Result<(WeightsFile, Backing), ModelError> {
    let refused = |fault: String| of_file(index, fault);
    let bytes = read_regular(&directory.join(index), LARGEST_TEXT)?;
    let Index { weight_map } =
        serde_json::from_slice(&bytes).map_err(|error| refused(error.to_string()))?;
    let parts = parts(directory, &weight_map, open_part, refused)?;
    let mut tensors = vec![];
    for (name, part) in &weight_map {
        let opened = parts.get(part.as_str());
        let tensor = opened.and_then(|part| Some((name, part, part.tensors.get(name)?)));
        tensors.push(tensor.ok_or_else(|| refused(format!("`{name}` is not in {part}")))?);
    }
    let of_parts: u64 = parts.values().map(|part| part.file.length()).sum();
    let joined: u64 = tensors.iter().map(|(_, _, tensor)| tensor.bytes).sum();
    if joined > MOST_SHARED * of_parts {
        return Err(refused(format!(
            "the tensors have {joined} bytes together, more than {MOST_SHARED} times those of their files"
        )));
    }
    let mut backing = Backing::default();
    for part in parts.values() {
        backing.push(Arc::clone(&part.file));
    }
    Ok((WeightsFile::new(joined_file(&tensors)?), backing))
}

/// Opens all parts of an index, by their names.
fn parts<'a>(
    directory: &Path,
    weight_map: &'a BTreeMap<String, String>,
    open_part: fn(&Path) -> Result<OnDisk, ModelError>,
    refused: impl Fn(String) -> ModelError,
) -> Result<BTreeMap<&'a str, Part>, ModelError> {
    let mut parts: BTreeMap<&str, Part> = BTreeMap::new();
    let mut bytes = 0_u64;
    for name in weight_map.values() {
        if parts.contains_key(name.as_str()) {
            continue;
        }
        if !is_name(name) {
            return Err(refused(format!("“{name}” is no name of a file beside it")));
        }
        let part = part(&directory.join(name), open_part).map_err(|error| of_part(name, error))?;
        bytes = bytes.saturating_add(part.file.length());
        if bytes > LARGEST_WEIGHTS {
            return Err(refused(format!(
                "the parts have more than {LARGEST_WEIGHTS} bytes together"
            )));
        }
        parts.insert(name, part);
    }
    Ok(parts)
}

fn part(
    path: &Path,
    open_part: fn(&Path) -> Result<OnDisk, ModelError>,
) -> Result<Part, ModelError> {
    let file = open_part(path)?;
    let tensors = raw_tensors(&file)?.into_iter();
    let tensors = tensors
        .map(|tensor| (tensor.name.clone(), tensor))
        .collect();
    Ok(Part {
        file: Arc::new(file),
        tensors,
    })
}

/// Returns the safetensors file with these tensors, in this order.
fn joined_file(tensors: &[(&String, &Part, &RawTensor)]) -> Result<Joined, ModelError> {
    let mut header = BTreeMap::new();
    let mut contents = vec![];
    let mut end = 0_usize;
    for (name, part, tensor) in tensors {
        let (file, start, bytes) = place(part, tensor)?;
        let begin = end;
        // All tensors together have at most twice the bytes of their files, which are limited.
        end += bytes as usize;
        let info = TensorInfo {
            dtype: tensor.dtype,
            shape: tensor.shape.clone(),
            data_offsets: (begin, end),
        };
        header.insert((*name).clone(), info);
        contents.push((file, start, bytes));
    }
    let mut joined = Joined::new(beginning(&header)?.into());
    for (file, start, bytes) in contents {
        joined.push(file, start, bytes);
    }
    Ok(joined)
}

/// Returns the file with the values of a tensor, the position of the first byte, and their number. Values that are stored apart
/// are copied.
fn place(part: &Part, tensor: &RawTensor) -> Result<(WeightsFile, u64, u64), ModelError> {
    match tensor.scattered {
        None => {
            let file = WeightsFile::new(Arc::clone(&part.file));
            Ok((file, tensor.start, tensor.bytes))
        }
        Some(_) => {
            let values = tensor.values(&part.file).map_err(ModelError::Read)?;
            let bytes = values.len() as u64;
            Ok((values.into_owned().into(), 0, bytes))
        }
    }
}

fn of_file(file: &str, fault: String) -> ModelError {
    ModelError::WeightsFile {
        file: file.to_owned(),
        fault,
    }
}

/// Names the part in an error of weights.
fn of_part(part: &str, error: ModelError) -> ModelError {
    match error {
        ModelError::Weights(fault) | ModelError::WeightsFile { fault, .. } => of_file(part, fault),
        error => error,
    }
}

/// Returns true if this is a plain file name, without a path to another directory.
fn is_name(part: &str) -> bool {
    let mut components = Path::new(part).components();
    matches!(
        (components.next(), components.next()),
        (Some(Component::Normal(_)), None)
    )
}
