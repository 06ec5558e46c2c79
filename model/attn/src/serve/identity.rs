//! The identity of the served model, by which a page recognises it.

use std::path::Path;

use attention_model::digest::digest_of_file;
use attention_model::error::ModelError;
use attention_protocol::ServedModel;

use crate::corpus::weights_file;
use crate::options::ModelOption;

/// Returns the name of the model at `path`, and the digest of its weights.
///
/// # Errors
/// If the weights cannot be read.
pub fn identity(path: &Path, model: &ModelOption) -> Result<ServedModel, ModelError> {
    Ok(ServedModel {
        name: model.name().unwrap_or_default(),
        weights: digest_of_file(&weights_file(path))?,
    })
}
