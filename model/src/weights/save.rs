//! Weights in the published format.

use burn::store::{
    BurnToPyTorchAdapter, FloatCastAdapter, KeyRemapper, ModuleAdapter, ModuleSnapshot,
    SafetensorsStore,
};
use burn::tensor::DType;

use crate::error::ModelError;

/// The precision of published weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Numbers of 16 bits: half the size, for files that are downloaded.
    Half,
    /// Numbers of 32 bits, as trained, so that training can be continued.
    Full,
}

impl Precision {
    /// Returns the `dtype` for `config.json`.
    pub fn name(self) -> &'static str {
        match self {
            Precision::Half => "float16",
            Precision::Full => "float32",
        }
    }

    fn dtype(self) -> DType {
        match self {
            Precision::Half => DType::F16,
            Precision::Full => DType::F32,
        }
    }
}

/// The differences of a family's files from the paths and the layout of its module.
#[derive(Clone, Copy, Debug, Default)]
pub struct Saved {
    /// Patterns in paths, and what a file has in their place.
    pub renamed: &'static [(&'static str, &'static str)],
    /// True if a matrix has a row for each input, as the `Conv1D` of `transformers` has it.
    pub rows_are_inputs: bool,
}

/// The names of a norm's parameters in a module and in a file.
const NORMS: [(&str, &str); 2] = [(r"\.gamma$", ".weight"), (r"\.beta$", ".bias")];

/// Writes the `model.safetensors` of `module`, with PyTorch's names and layout.
///
/// # Errors
/// If the weights cannot be read from their device.
pub fn save_weights<M: ModuleSnapshot>(
    module: &M,
    precision: Precision,
) -> Result<Vec<u8>, ModelError> {
    save_weights_as(module, precision, Saved::default())
}

/// Writes the `model.safetensors` of `module`, with the names and the layout of a family's files.
///
/// # Errors
/// If the weights cannot be read from their device.
pub fn save_weights_as<M: ModuleSnapshot>(
    module: &M,
    precision: Precision,
    saved: Saved,
) -> Result<Vec<u8>, ModelError> {
    let cast = FloatCastAdapter::to(precision.dtype());
    let renamed = NORMS.iter().chain(saved.renamed).copied().collect();
    let renamed = KeyRemapper::from_patterns(renamed)
        .map_err(|error| ModelError::Weights(error.to_string()))?;
    let store = SafetensorsStore::from_bytes(None)
        .remap(renamed)
        .clear_metadata()
        .metadata("format", "pt");
    let mut store = match saved.rows_are_inputs {
        true => store.with_to_adapter(cast),
        false => store.with_to_adapter(BurnToPyTorchAdapter.chain(cast)),
    };
    module
        .save_into(&mut store)
        .map_err(|error| ModelError::Weights(error.to_string()))?;
    store
        .get_bytes()
        .map_err(|error| ModelError::Weights(error.to_string()))
}
