//! SHA-256 of files and texts, in hexadecimal digits.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::error::ModelError;
use crate::files::failed;

/// Returns the digest of bytes.
pub fn digest(bytes: &[u8]) -> String {
    in_digits(Sha256::digest(bytes).as_slice())
}

/// Returns the digest of all that is left to read.
///
/// # Errors
/// If reading fails.
pub fn digest_of_reader(mut reader: impl Read) -> io::Result<String> {
    let mut hasher = Sha256::new();
    io::copy(&mut reader, &mut hasher)?;
    Ok(in_digits(hasher.finalize().as_slice()))
}

/// Returns the digest of a file of any size, which is never in memory whole.
///
/// # Errors
/// If the file cannot be read.
pub fn digest_of_file(path: &Path) -> Result<String, ModelError> {
    let file = File::open(path).map_err(failed(path))?;
    digest_of_reader(file).map_err(failed(path))
}

fn in_digits(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
