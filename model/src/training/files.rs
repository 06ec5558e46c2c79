//! Files of a run.

use std::fs;
use std::path::Path;

use super::TrainError;
use crate::error::ModelError;
use crate::files::{LARGEST_WEIGHTS, read_regular};

pub fn file_error(path: &Path, source: std::io::Error) -> TrainError {
    ModelError::File {
        path: path.display().to_string(),
        source,
    }
    .into()
}

/// The files of a model that runs start from and publish.
pub const TOKENIZER: &str = "tokenizer.json";
pub const WEIGHTS: &str = "model.safetensors";

pub fn read(path: &Path) -> Result<Vec<u8>, TrainError> {
    Ok(read_regular(path, LARGEST_WEIGHTS)?)
}

pub fn create_directory(path: &Path) -> Result<(), TrainError> {
    fs::create_dir_all(path).map_err(|error| file_error(path, error))
}

/// Writes a file completely or not at all: a killed run leaves the last checkpoint readable.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), TrainError> {
    let partial = path.with_extension("partial");
    fs::write(&partial, bytes).map_err(|error| file_error(&partial, error))?;
    fs::rename(&partial, path).map_err(|error| file_error(path, error))
}
