//! The record of one forward pass, stored and sent as a safetensors file.

use std::collections::{BTreeMap, HashMap};

use safetensors::{
    Dtype, SafeTensorError,
    tensor::{Metadata, TensorInfo, TensorView},
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::array::volume;
use crate::{
    Array, AttentionKind, Decoding, Guess, ModelSpec, NameError, Pieces, Site, Stack, Token,
};

/// The model and the tokens that the arrays of a trace refer to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceMeta {
    /// The model that made it.
    pub spec: ModelSpec,
    /// The tokens that the encoder reads, end-of-sentence included; empty for a decoder-only model.
    pub source: Vec<Token>,
    /// The tokens that the decoder reads, start token included; empty if there is no decoder. Row `t` of a decoder map
    /// is that of `target[t]`, which predicts token `t + 1`.
    pub target: Vec<Token>,
    /// The tokenizer's facts about these tokens; the default in a trace made before they were recorded.
    #[serde(default, skip_serializing_if = "Pieces::is_default")]
    pub pieces: Pieces,
}

impl TraceMeta {
    /// The tokens that a stack reads.
    pub fn tokens(&self, stack: Stack) -> &[Token] {
        match stack {
            Stack::Encoder => &self.source,
            Stack::Decoder => &self.target,
        }
    }

    /// The tokens of queries (rows) and keys (columns) of maps of this kind.
    pub fn axes(&self, kind: AttentionKind) -> (&[Token], &[Token]) {
        let keys = match kind {
            AttentionKind::EncoderSelf | AttentionKind::Cross => Stack::Encoder,
            AttentionKind::DecoderSelf => Stack::Decoder,
        };
        (self.tokens(kind.stack()), self.tokens(keys))
    }
}

/// The record of one forward pass: arrays by their places, with the model and the tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The model and the tokens.
    pub meta: TraceMeta,
    /// The decoding that produced the target; absent if the target was given.
    pub decoding: Option<Decoding>,
    /// The guesses for each masked word of the source; empty if there is none, and for all models that do not guess
    /// words.
    pub guesses: Vec<Guess>,
    /// The arrays by place.
    pub arrays: BTreeMap<Site, Array>,
}

/// A reason why a trace could not be read or written.
#[derive(Debug, Error)]
pub enum TraceError {
    /// Not a safetensors file, or one cut short.
    #[error("the trace is not a valid safetensors file: {0}")]
    Container(#[from] safetensors::SafeTensorError),
    /// The `trace` entry of the metadata is missing.
    #[error("the file has no `trace` entry in its metadata, so it is not a trace")]
    NotATrace,
    /// The `trace` entry cannot be understood.
    #[error("the trace's description cannot be read: {0}")]
    Meta(#[from] serde_json::Error),
    /// An array has a name that is no place of a model.
    #[error(transparent)]
    Name(#[from] NameError),
    /// An array has another type than 32-bit floats.
    #[error("array `{0}` is not made of 32-bit floats")]
    Type(String),
}

const META_KEY: &str = "trace";
const DECODING_KEY: &str = "decoding";
const GUESSES_KEY: &str = "guesses";

impl Trace {
    /// The trace as a safetensors file: arrays as f32, tokens and sizes in the metadata.
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
        let mut metadata =
            HashMap::from([(META_KEY.to_owned(), serde_json::to_string(&self.meta)?)]);
        if let Some(decoding) = &self.decoding {
            metadata.insert(DECODING_KEY.to_owned(), serde_json::to_string(decoding)?);
        }
        if !self.guesses.is_empty() {
            let guesses = serde_json::to_string(&self.guesses)?;
            metadata.insert(GUESSES_KEY.to_owned(), guesses);
        }
        Ok(safetensors::serialize(views, Some(metadata))?)
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
    /// If it is no safetensors file, is cut short, or is another one than a trace's.
    pub fn read_safetensors(
        length_bytes: usize,
        read: impl Fn(usize, &mut [u8]),
    ) -> Result<Self, TraceError> {
        let (header, data_from_byte) = read_header(length_bytes, &read)?;
        let entry = |key| header.metadata().as_ref()?.get(key);
        let meta = serde_json::from_str(entry(META_KEY).ok_or(TraceError::NotATrace)?)?;
        let decoding = entry(DECODING_KEY)
            .map(|json| serde_json::from_str(json))
            .transpose()?;
        let guesses = entry(GUESSES_KEY).map_or(Ok(vec![]), |json| serde_json::from_str(json))?;
        let arrays = header
            .tensors()
            .into_iter()
            .map(|(name, info)| {
                if info.dtype != Dtype::F32 {
                    return Err(TraceError::Type(name));
                }
                let site = name.parse()?;
                let room_bytes = length_bytes - data_from_byte;
                let (from_byte, values) =
                    place(info, room_bytes).ok_or(SafeTensorError::InvalidOffset(name))?;
                let mut data = vec![0.0; values];
                read(
                    data_from_byte + from_byte,
                    bytemuck::cast_slice_mut(&mut data),
                );
                let shape = info.shape.clone();
                Ok((site, Array { shape, data }))
            })
            .collect::<Result<_, TraceError>>()?;
        Ok(Trace {
            meta,
            decoding,
            guesses,
            arrays,
        })
    }

    /// The array of that place.
    pub fn array(&self, site: Site) -> Option<&Array> {
        self.arrays.get(&site)
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Candidate;

    fn example() -> Trace {
        let token = |id, text: &str| Token {
            id,
            text: text.into(),
            unknown: false,
        };
        Trace {
            meta: TraceMeta {
                spec: crate::spec::tests::encoder_decoder(),
                source: vec![token(4, "▁Je"), token(2, "</s>")],
                target: vec![token(0, "<pad>")],
                pieces: crate::Pieces::default(),
            },
            decoding: None,
            guesses: vec![Guess {
                place: 1,
                candidates: vec![Candidate {
                    token: token(7, "▁chien"),
                    logit: 2.5,
                    log_probability: -0.25,
                }],
            }],
            arrays: BTreeMap::from([(
                Site::LOGITS,
                Array {
                    shape: vec![2, 1, 3],
                    data: vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
                },
            )]),
        }
    }

    #[test]
    fn a_trace_survives_the_round_trip() {
        let trace = example();
        let bytes = trace.to_safetensors().unwrap();
        assert_eq!(Trace::from_safetensors(&bytes).unwrap(), trace);
    }

    #[test]
    fn a_truncated_trace_is_an_error() {
        let bytes = example().to_safetensors().unwrap();
        for length in [0, 7, bytes.len() - 1] {
            assert!(Trace::from_safetensors(&bytes[..length]).is_err());
        }
    }

    #[test]
    fn a_trace_whose_arrays_lie_elsewhere_than_in_it_is_an_error() {
        let written = example().to_safetensors().unwrap();
        let own = b"[0,24]";
        let at = written.windows(own.len()).position(|part| part == own);
        let at = at.unwrap();
        for other in [
            b"[8,24]", b"[0,28]", b"[4,28]", b"[24,0]", b"[-1,9]", b"[9,99]",
        ] {
            let mut bytes = written.clone();
            bytes[at..at + own.len()].copy_from_slice(other);
            assert!(Trace::from_safetensors(&bytes).is_err(), "{other:?}");
        }
        let longer = [&written[..], &[0]].concat();
        assert!(Trace::from_safetensors(&longer).is_err());
    }

    #[test]
    fn rows_and_matrices_are_found_by_index() {
        let trace = example();
        let array = trace.array(Site::LOGITS).unwrap();
        assert_eq!(array.matrix(1), Some([3.0, 4.0, 5.0].as_slice()));
        assert_eq!(array.matrix(2), None);
        assert_eq!(array.row(&[1, 0]), Some([3.0, 4.0, 5.0].as_slice()));
        assert_eq!(array.row(&[0, 1]), None);
    }
}
