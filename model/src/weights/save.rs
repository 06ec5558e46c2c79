//! Weights as they are published.

use burn::store::{
    BurnToPyTorchAdapter, FloatCastAdapter, ModuleAdapter, ModuleSnapshot, SafetensorsStore,
};
use burn::tensor::DType;

use crate::error::ModelError;

/// How exactly weights are published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// As 16-bit numbers: half the size, for files that travel.
    Half,
    /// As they were trained, in 32 bits: training goes on from them.
    Full,
}

impl Precision {
    /// What `dtype` of `config.json` says.
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

/// `model.safetensors` of `module`: names and layout as PyTorch has them.
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
