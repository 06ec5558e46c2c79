//! A whole file in memory.

use crate::architecture::Architecture;
use crate::error::GgufError;
use crate::header::{COUNT, Header, TensorInfo};

/// The key of the kind of file.
const KIND: &str = "general.type";
/// The key of the version of ggml's blocks.
const BLOCKS: &str = "general.quantization_version";
/// The version of ggml's blocks that is implemented, the only one since May 2023.
const BLOCKS_VERSION: u64 = 2;

/// A GGUF file with its bytes.
#[derive(Clone, Debug)]
pub struct Gguf<'a> {
    /// The description of the model and its tensors.
    pub header: Header<'a>,
    /// The architecture that the header names.
    pub architecture: Architecture,
    bytes: &'a [u8],
}

impl<'a> Gguf<'a> {
    /// Reads a whole file.
    ///
    /// # Errors
    /// If it is no complete GGUF file, the architecture is not implemented, or it holds something else than a model.
    pub fn read(bytes: &'a [u8]) -> Result<Self, GgufError> {
        let header = Header::read(bytes, bytes.len() as u64)?;
        let kind = header.metadata.text(KIND)?.unwrap_or("model");
        if kind != "model" {
            return Err(GgufError::value(KIND, kind, "is not a model"));
        }
        let parts = header.metadata.natural(COUNT)?.unwrap_or(1);
        if parts > 1 {
            let fault = "parts make the model: join them by `llama-gguf-split --merge`, or name the directory with all of \
                         them to `attn`";
            return Err(GgufError::value(COUNT, parts, fault));
        }
        let version = header.metadata.natural(BLOCKS)?.unwrap_or(BLOCKS_VERSION);
        let mut tensors = header.tensors.iter();
        if version != BLOCKS_VERSION && tensors.any(|tensor| tensor.encoding.is_quantised()) {
            return Err(GgufError::value(
                BLOCKS,
                version,
                "is not implemented; 2 is",
            ));
        }
        let architecture = Architecture::of(&header.metadata)?;
        Ok(Gguf {
            header,
            architecture,
            bytes,
        })
    }

    /// Returns the bytes of one of the file's tensors.
    pub(crate) fn bytes(&self, tensor: &TensorInfo<'_>) -> &'a [u8] {
        let place = |position| usize::try_from(position).ok();
        let part = place(tensor.start)
            .zip(place(tensor.start + tensor.bytes))
            .and_then(|(start, end)| self.bytes.get(start..end));
        // The header's tensors have been found to be within the file.
        part.unwrap_or_default()
    }
}
