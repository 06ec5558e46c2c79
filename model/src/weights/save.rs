//! Weights in the published format.

use burn::store::{
    BurnToPyTorchAdapter, FloatCastAdapter, ModuleAdapter, ModuleSnapshot, SafetensorsStore,
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

/// Writes the `model.safetensors` of `module`, with PyTorch's names and layout.
///
/// # Errors
/// If the weights cannot be read from their device.
pub fn save_weights<M: ModuleSnapshot>(
    module: &M,
    precision: Precision,
) -> Result<Vec<u8>, ModelError> {
    let adapter = BurnToPyTorchAdapter.chain(FloatCastAdapter::to(precision.dtype()));
    let mut store = SafetensorsStore::from_bytes(None)
        .with_to_adapter(adapter)
        .clear_metadata()
        .metadata("format", "pt");
    module
        .save_into(&mut store)
        .map_err(|error| ModelError::Weights(error.to_string()))?;
    store
        .get_bytes()
        .map_err(|error| ModelError::Weights(error.to_string()))
}
