//! Facts of a GGUF file, read from its header before the rest of the file is.

use attention_gguf::{Architecture, GgufError, Header};
use attention_protocol::FilesFault;
use attention_trace::card::{FileTensor, sort_tensors};

use super::{
    About,
    chosen::Part,
    weights::{Types, check_size},
};
use crate::state::MineId;

/// The bytes that are read first. Headers have some megabytes, most of it the tokenizer's pieces.
const FIRST_BYTES: u64 = 1 << 20;
/// The largest header that is read in bytes: ten times that of a tokenizer with 260,000 pieces.
const LARGEST_HEADER: u64 = 1 << 27;
/// The key of the licence.
const LICENCE: &str = "general.license";

/// Reads the facts of a file that is named `name`.
///
/// # Errors
/// If the file cannot be read or is too large, or its header has a fault or an architecture that is not implemented.
pub async fn about(name: String, file: &Part<'_>) -> Result<About, FilesFault> {
    let bytes = file.bytes();
    let mut to = FIRST_BYTES;
    loop {
        let beginning = file.read(0, to.min(bytes)).await?;
        match Facts::read(&beginning, bytes) {
            Ok(facts) => {
                check_size(facts.loaded_bytes)?;
                return Ok(About {
                    id: MineId::of(&[&beginning, &file.end().await?]),
                    name,
                    model_type: facts.architecture.model_type().to_owned(),
                    licence: facts.licence,
                    bytes,
                    loaded_bytes: facts.loaded_bytes,
                    types: facts.types,
                    tensors: facts.tensors.into(),
                    served: None,
                });
            }
            Err(GgufError::NeedsMore(least)) if least <= LARGEST_HEADER => to = least.max(2 * to),
            Err(error) => {
                return Err(FilesFault::Unfit {
                    reason: format!("the GGUF file: {error}"),
                });
            }
        }
    }
}

/// The facts in a header.
#[derive(Debug, PartialEq, Eq)]
struct Facts {
    architecture: Architecture,
    /// The number of weights of each type.
    types: Types,
    /// The tensors in the order of their names.
    tensors: Vec<FileTensor>,
    /// The bytes that the weights take once they are loaded.
    loaded_bytes: u64,
    licence: Option<String>,
}

impl Facts {
    /// Reads the facts of a file of so many bytes from its beginning.
    fn read(beginning: &[u8], bytes: u64) -> Result<Self, GgufError> {
        let header = Header::read(beginning, bytes)?;
        let architecture = Architecture::of(&header.metadata)?;
        let (mut types, mut loaded_bytes) = (Types::default(), 0_u64);
        let mut tensors = Vec::with_capacity(header.tensors.len());
        for tensor in &header.tensors {
            let sizes = tensor.shape.iter();
            let weights = sizes.fold(1_u64, |product, &size| product.saturating_mul(size));
            // Sizes of tensors lie within the file, which has fewer than 2⁶⁴ bytes.
            types.add(tensor.encoding.name(), weights);
            let tensor_bytes = match architecture.keeps_stored() {
                true => tensor.encoding.loaded_bytes(&tensor.shape),
                false => weights.saturating_mul(4),
            };
            loaded_bytes = loaded_bytes.saturating_add(tensor_bytes);
            tensors.push(FileTensor {
                name: tensor.name.to_owned(),
                encoding: tensor.encoding.name().to_owned(),
                shape: tensor.shape.clone(),
            });
        }
        sort_tensors(&mut tensors);
        Ok(Facts {
            architecture,
            types,
            tensors,
            loaded_bytes,
            licence: header.metadata.text(LICENCE)?.map(str::to_owned),
        })
    }
}
