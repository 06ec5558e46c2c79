//! A file: its header, and what its configuration needs beside that.

use std::borrow::Cow;

use crate::architecture::Architecture;
use crate::error::GgufError;
use crate::factors;
use crate::header::{COUNT, Header, TensorInfo};

/// The key of the kind of file.
const KIND: &str = "general.type";
/// The key of the version of ggml's blocks.
const BLOCKS: &str = "general.quantization_version";
/// The version of ggml's blocks that is implemented, the only one since May 2023.
const BLOCKS_VERSION: u64 = 2;

/// A GGUF file. Of its tensors' bytes, it holds those that are part of the configuration.
#[derive(Clone, Debug)]
pub struct Gguf<'a> {
    /// The description of the model and its tensors.
    pub header: Header<'a>,
    /// The architecture that the header names.
    pub architecture: Architecture,
    /// The tensors that are part of the configuration, by their names.
    parameters: Vec<(&'a str, Cow<'a, [u8]>)>,
}

impl<'a> Gguf<'a> {
    /// Reads a whole file in memory.
    ///
    /// # Errors
    /// If it is no complete GGUF file, the architecture is not implemented, or it holds something else than a model.
    pub fn read(bytes: &'a [u8]) -> Result<Self, GgufError> {
        Self::open(bytes, bytes.len() as u64, |tensor| {
            let place = |position| usize::try_from(position).ok();
            let part = place(tensor.start)
                .zip(place(tensor.start + tensor.bytes))
                .and_then(|(start, end)| bytes.get(start..end));
            // The header's tensors have been found to be within the file.
            Ok(Cow::Borrowed(part.unwrap_or_default()))
        })
    }

    /// Reads a file of `length` bytes from its beginning. `read` returns the bytes of a tensor; it is called for the few
    /// vectors that are part of the configuration.
    ///
    /// # Errors
    /// [`GgufError::NeedsMore`] if the header goes on beyond the given bytes; otherwise as [`read`](Self::read), and the
    /// errors of `read`.
    pub fn open<E: From<GgufError>>(
        beginning: &'a [u8],
        length: u64,
        mut read: impl FnMut(&TensorInfo<'a>) -> Result<Cow<'a, [u8]>, E>,
    ) -> Result<Self, E> {
        let header = Header::read(beginning, length)?;
        let kind = header.metadata.text(KIND)?.unwrap_or("model");
        if kind != "model" {
            return Err(GgufError::value(KIND, kind, "is not a model").into());
        }
        let parts = header.metadata.natural(COUNT)?.unwrap_or(1);
        if parts > 1 {
            let fault = "parts make the model: join them by `llama-gguf-split --merge`, or name the directory with all of \
                         them to `attn`";
            return Err(GgufError::value(COUNT, parts, fault).into());
        }
        let version = header.metadata.natural(BLOCKS)?.unwrap_or(BLOCKS_VERSION);
        let mut tensors = header.tensors.iter();
        if version != BLOCKS_VERSION && tensors.any(|tensor| tensor.encoding.is_quantised()) {
            return Err(GgufError::value(BLOCKS, version, "is not implemented; 2 is").into());
        }
        let architecture = Architecture::of(&header.metadata)?;
        let mut parameters = vec![];
        for tensor in &header.tensors {
            if factors::is_parameter(architecture, tensor.name) && tensor.shape.len() == 1 {
                parameters.push((tensor.name, read(tensor)?));
            }
        }
        Ok(Gguf {
            header,
            architecture,
            parameters,
        })
    }

    /// Returns the bytes of a vector that is part of the configuration.
    pub(crate) fn parameter(&self, name: &str) -> Option<&[u8]> {
        let mut parameters = self.parameters.iter();
        let (_, bytes) = parameters.find(|(known, _)| *known == name)?;
        Some(bytes)
    }
}
