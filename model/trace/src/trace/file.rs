//! The file of a trace: its entries and arrays, written and read.

use std::collections::{BTreeMap, HashMap};

use safetensors::{
    Dtype, SafeTensorError,
    tensor::{Metadata, TensorInfo, TensorView},
};
use serde::{Serialize, de::DeserializeOwned};
use thiserror::Error;

use super::{Trace, TraceMeta, checks::check_sizes};
use crate::array::volume;
use crate::{Array, NameError, Site};

/// The version of the format that this crate writes, and the newest that it reads.
pub const FORMAT: u32 = 1;

/// The most bytes of a trace that are read: less than 2 GB, the longest buffer that every browser has room for.
pub const LARGEST_TRACE_BYTES: usize = i32::MAX as usize;

/// The most bytes of the header, as in the crate `safetensors`.
const LARGEST_HEADER_BYTES: usize = 100_000_000;

const FORMAT_KEY: &str = "format";
const META_KEY: &str = "trace";
const DECODING_KEY: &str = "decoding";
const GUESSES_KEY: &str = "guesses";
const EDITS_KEY: &str = "edits";
const LENS_KEY: &str = "lens";
const ORIGIN_KEY: &str = "origin";

/// A reason why a trace could not be read, written or shown.
#[derive(Debug, Error)]
pub enum TraceError {
    /// Not a safetensors file, or one cut short.
    #[error("the trace is not a valid safetensors file: {0}")]
    Container(#[from] SafeTensorError),
    /// The file is longer than a reader takes.
    #[error("the trace has {bytes} bytes, and at most {LARGEST_TRACE_BYTES} are read")]
    TooLarge {
        /// The length of the file.
        bytes: usize,
    },
    /// The `trace` entry of the metadata is missing.
    #[error("the file has no `trace` entry in its metadata, so it is not a trace")]
    NotATrace,
    /// The file is of another version than those that are read.
    #[error("the trace has format version {found}, and this program reads versions up to {FORMAT}")]
    Version {
        /// The version as the file names it.
        found: String,
    },
    /// An entry of the metadata cannot be read or written.
    #[error("the trace's entry `{entry}` cannot be read: {error}")]
    Entry {
        /// The name of the entry.
        entry: &'static str,
        /// The fault of its JSON.
        error: serde_json::Error,
    },
    /// A size of the model is out of reason.
    #[error(
        "the trace's entry `trace` says that {name} is {size}; it must be between {least} and {most}"
    )]
    Size {
        /// The name of the size within `spec`.
        name: String,
        /// The value in the file.
        size: usize,
        /// The smallest value that is read.
        least: usize,
        /// The largest value that is read.
        most: usize,
    },
    /// An entry refers to a place beyond the tokens.
    #[error("the trace's entry `{entry}` names place {place}, beyond the tokens ({tokens})")]
    Place {
        /// The name of the entry.
        entry: &'static str,
        /// The place, from 0.
        place: usize,
        /// The number of tokens.
        tokens: usize,
    },
    /// The readings of the lens are not one for each token.
    #[error(
        "the trace's entry `lens` has {found} readings of a layer, not one for each token ({tokens})"
    )]
    Lens {
        /// The number of readings.
        found: usize,
        /// The number of tokens.
        tokens: usize,
    },
    /// An array has a name that is no place of a model.
    #[error(transparent)]
    Name(#[from] NameError),
    /// An array has another type than 32-bit floats.
    #[error("array `{0}` is not made of 32-bit floats")]
    Type(String),
    /// An array belongs to a layer or an attention that the model lacks.
    #[error("array `{0}` is of a layer that the model does not have")]
    Layer(String),
    /// The shape of an array does not fit the heads and the tokens.
    #[error("array `{array}` has the shape {found:?}, and heads and tokens make {expected:?}")]
    Shape {
        /// The name of the array.
        array: String,
        /// The shape in the file.
        found: Vec<usize>,
        /// The shape that the model and the tokens make.
        expected: Vec<usize>,
    },
    /// Attention weights of a layer are missing, although other layers of this attention have theirs.
    #[error("array `{0}` is missing, although other layers have theirs")]
    Missing(String),
    /// There are no attention weights at all.
    #[error("the trace has no attention weights (`pattern`)")]
    NoWeights,
    /// An array has a value that is infinite or no number.
    #[error("array `{0}` has a weight that is not a finite number")]
    NotFinite(String),
}

impl Trace {
    /// The trace as a safetensors file: arrays as f32, everything else in the metadata.
    ///
    /// # Errors
    /// If an array does not fill its shape.
    pub fn to_safetensors(&self) -> Result<Vec<u8>, TraceError> {
        let views = self
            .arrays
            .iter()
            .map(|(name, array)| {
                let shape = array.shape.clone();
                TensorView::new(Dtype::F32, shape, array.bytes())
                    .map(|view| (name.to_string(), view))
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(safetensors::serialize(views, Some(self.entries()?))?)
    }

    /// The entries of the metadata; those that say nothing are left out.
    fn entries(&self) -> Result<HashMap<String, String>, TraceError> {
        let mut entries = HashMap::from([
            (FORMAT_KEY.to_owned(), FORMAT.to_string()),
            (META_KEY.to_owned(), written(META_KEY, &self.meta)?),
        ]);
        let mut add = |key: &'static str, json: String| entries.insert(key.to_owned(), json);
        if let Some(decoding) = &self.decoding {
            add(DECODING_KEY, written(DECODING_KEY, decoding)?);
        }
        if !self.guesses.is_empty() {
            add(GUESSES_KEY, written(GUESSES_KEY, &self.guesses)?);
        }
        if !self.edits.is_empty() {
            add(EDITS_KEY, written(EDITS_KEY, &self.edits)?);
        }
        if let Some(lens) = &self.lens {
            add(LENS_KEY, written(LENS_KEY, lens)?);
        }
        if self.origin != Default::default() {
            add(ORIGIN_KEY, written(ORIGIN_KEY, &self.origin)?);
        }
        Ok(entries)
    }

    /// Reads the bytes that [`to_safetensors`](Self::to_safetensors) wrote.
    ///
    /// # Errors
    /// As [`read_safetensors`](Self::read_safetensors).
    pub fn from_safetensors(bytes: &[u8]) -> Result<Self, TraceError> {
        Self::read_safetensors(bytes.len(), |from_byte, into| {
            into.copy_from_slice(&bytes[from_byte..][..into.len()]);
        })
    }

    /// Reads what [`to_safetensors`](Self::to_safetensors) wrote, wherever it is: `read` copies what lies from a byte
    /// on, of as many bytes as there is room for, never beyond `length_bytes`. So a browser's buffer need not be held
    /// twice.
    ///
    /// # Errors
    /// If it is no safetensors file, is cut short, is another one than a trace's or of a newer version, or if its parts
    /// do not fit each other. [`check_weights`](Self::check_weights) checks the numbers themselves.
    pub fn read_safetensors(
        length_bytes: usize,
        read: impl Fn(usize, &mut [u8]),
    ) -> Result<Self, TraceError> {
        if length_bytes > LARGEST_TRACE_BYTES {
            return Err(TraceError::TooLarge {
                bytes: length_bytes,
            });
        }
        let (header, data_from_byte) = read_header(length_bytes, &read)?;
        let mut trace = of_entries(&header)?;
        check_sizes(&trace.meta.spec)?;
        trace.check_places()?;
        for (name, info) in header.tensors() {
            if info.dtype != Dtype::F32 {
                return Err(TraceError::Type(name));
            }
            let site: Site = name.parse()?;
            trace.meta.check_shape(site, &info.shape)?;
            let room_bytes = length_bytes - data_from_byte;
            let (from_byte, values) =
                place(info, room_bytes).ok_or(SafeTensorError::InvalidOffset(name))?;
            let mut data = vec![0.0; values];
            read(
                data_from_byte + from_byte,
                bytemuck::cast_slice_mut(&mut data),
            );
            let shape = info.shape.clone();
            trace.arrays.insert(site, Array { shape, data });
        }
        Ok(trace)
    }
}

/// The trace that the entries of the metadata describe, without its arrays.
fn of_entries(header: &Metadata) -> Result<Trace, TraceError> {
    let none = HashMap::new();
    let entries = header.metadata().as_ref().unwrap_or(&none);
    let found = entries.get(FORMAT_KEY);
    let version = found.map_or(Some(FORMAT), |found| version(found));
    if !version.is_some_and(|version| (1..=FORMAT).contains(&version)) {
        let found = found.cloned().unwrap_or_default();
        return Err(TraceError::Version { found });
    }
    let meta: Option<TraceMeta> = entry(entries, META_KEY)?;
    Ok(Trace {
        meta: meta.ok_or(TraceError::NotATrace)?,
        decoding: entry(entries, DECODING_KEY)?,
        guesses: entry(entries, GUESSES_KEY)?.unwrap_or_default(),
        edits: entry(entries, EDITS_KEY)?.unwrap_or_default(),
        lens: entry(entries, LENS_KEY)?,
        origin: entry(entries, ORIGIN_KEY)?.unwrap_or_default(),
        arrays: BTreeMap::new(),
    })
}

/// A version as it is written; `None` for anything else than a whole number.
fn version(text: &str) -> Option<u32> {
    let is_number = text.chars().all(|c| c.is_ascii_digit());
    // A number too large for the type is none that is read.
    is_number.then(|| text.parse().ok())?
}

fn written(entry: &'static str, value: &impl Serialize) -> Result<String, TraceError> {
    serde_json::to_string(value).map_err(|error| TraceError::Entry { entry, error })
}

fn entry<T: DeserializeOwned>(
    entries: &HashMap<String, String>,
    entry: &'static str,
) -> Result<Option<T>, TraceError> {
    let json = entries.get(entry).map(|json| serde_json::from_str(json));
    json.transpose()
        .map_err(|error| TraceError::Entry { entry, error })
}

/// The header of a safetensors file: its length in eight bytes, then itself. And the byte from which the arrays lie.
fn read_header(
    length_bytes: usize,
    read: &impl Fn(usize, &mut [u8]),
) -> Result<(Metadata, usize), SafeTensorError> {
    let mut header_bytes = [0; 8];
    let room_bytes = length_bytes
        .checked_sub(header_bytes.len())
        .ok_or(SafeTensorError::HeaderTooSmall)?;
    read(0, &mut header_bytes);
    let mut header = match usize::try_from(u64::from_le_bytes(header_bytes)) {
        Ok(bytes) if bytes > LARGEST_HEADER_BYTES => return Err(SafeTensorError::HeaderTooLarge),
        Ok(bytes) if bytes <= room_bytes => vec![0; bytes],
        _ => return Err(SafeTensorError::InvalidHeaderLength),
    };
    read(header_bytes.len(), &mut header);
    let metadata: Metadata =
        serde_json::from_slice(&header).map_err(SafeTensorError::InvalidHeaderDeserialization)?;
    // Together they are as long as what follows, so nothing small can claim to hold much.
    let lengths_bytes = metadata.tensors().into_values().map(|info| {
        let (from, to) = info.data_offsets;
        to.saturating_sub(from)
    });
    if lengths_bytes.fold(0, usize::saturating_add) != room_bytes - header.len() {
        return Err(SafeTensorError::MetadataIncompleteBuffer);
    }
    Ok((metadata, header_bytes.len() + header.len()))
}

/// The first byte of an array of 32-bit floats, and how many there are; `None` where they do not lie within the file or
/// do not fill their shape.
fn place(info: &TensorInfo, room_bytes: usize) -> Option<(usize, usize)> {
    let (from, to) = info.data_offsets;
    let values = volume(&info.shape)?;
    let length_bytes = to.checked_sub(from)?;
    let fits = to <= room_bytes && values.checked_mul(size_of::<f32>()) == Some(length_bytes);
    fits.then_some((from, values))
}
