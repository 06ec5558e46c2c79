//! Files of JSON that the bench reads and writes.

use std::{fs, path::Path};

use serde::{Serialize, de::DeserializeOwned};

use crate::error::Error;

/// Reads a file of JSON.
///
/// # Errors
/// If it cannot be read, or is not such JSON.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let text = fs::read_to_string(path).map_err(Error::file("read", path))?;
    serde_json::from_str(&text).map_err(Error::json(path))
}

/// Writes a file, in a folder that is made if need be.
///
/// # Errors
/// If it cannot be written.
pub fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<(), Error> {
    let directory = path.parent().unwrap_or(path);
    fs::create_dir_all(directory).map_err(Error::file("make", directory))?;
    let text = serde_json::to_string_pretty(value).map_err(Error::json(path))?;
    fs::write(path, text + "\n").map_err(Error::file("write", path))
}
