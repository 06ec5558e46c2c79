//! Weights as they are published, which browsers never do.

use burn::store::{
    BurnToPyTorchAdapter, FloatCastAdapter, ModuleAdapter, ModuleSnapshot, SafetensorsStore,
};
use burn::tensor::DType;

use crate::error::ModelError;

/// `model.safetensors` of `module`: names and layout as PyTorch has them, values as f16.
///
/// # Errors
/// If the weights cannot be read from their device.
pub fn save_weights<M: ModuleSnapshot>(module: &M) -> Result<Vec<u8>, ModelError> {
    let adapter = BurnToPyTorchAdapter.chain(FloatCastAdapter::to(DType::F16));
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
