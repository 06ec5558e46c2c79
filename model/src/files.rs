//! Reading paths that may be anything: a directory, a device that never ends, a pipe that yields nothing.

mod on_disk;

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use attention_pytorch::{Index, Source};

use crate::error::ModelError;
use crate::weights::raw::pytorch_fault;

pub use self::on_disk::OnDisk;

/// The most bytes of a file of sizes, settings or a tokenizer. The largest published tokenizers have a tenth of it.
pub const LARGEST_TEXT: u64 = 1 << 28;
/// The most bytes of a file of training data or of pairs to score.
pub const LARGEST_DATA: u64 = 1 << 30;
/// The most bytes of a file of weights.
pub const LARGEST_WEIGHTS: u64 = 1 << 36;

/// Reads the bytes of a regular file of at most `limit` bytes.
///
/// # Errors
/// If it cannot be read, is not a regular file, or is larger.
pub fn read_regular(path: &Path, limit: u64) -> Result<Vec<u8>, ModelError> {
    let bytes = regular_size(path)?;
    let file = File::open(path).map_err(failed(path))?;
    read_up_to(path, file, bytes, limit)
}

/// Reads the bytes of a file or a pipe, at most `limit` of them.
///
/// # Errors
/// If it cannot be read or is larger.
pub fn read_any(path: &Path, limit: u64) -> Result<Vec<u8>, ModelError> {
    let file = File::open(path).map_err(failed(path))?;
    let bytes = file.metadata().map_err(failed(path))?.len();
    read_up_to(path, file, bytes, limit)
}

/// Reads a text by [`read_any`].
///
/// # Errors
/// As `read_any`, and if the text is not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> Result<String, ModelError> {
    String::from_utf8(read_any(path, limit)?).map_err(|error| {
        failed(path)(io::Error::new(
            io::ErrorKind::InvalidData,
            error.utf8_error(),
        ))
    })
}

/// Opens a `model.safetensors`, whose header gives the number of its bytes.
///
/// # Errors
/// If it cannot be read, is not a regular file, or its size differs from that in its header.
pub fn open_weights(path: &Path) -> Result<OnDisk, ModelError> {
    let file = OnDisk::open(path)?;
    let bytes = file.length();
    let mut start = [0; 8];
    let header = match bytes {
        8.. => {
            file.read(0, &mut start).map_err(ModelError::Read)?;
            u64::from_le_bytes(start)
        }
        _ => 0,
    };
    if header < 2 || header > bytes.saturating_sub(8) {
        return Err(ModelError::Weights(format!(
            "it is not a complete safetensors file: of its {bytes} bytes the header would take {header}; perhaps it was cut \
             short, or is a page or a pointer in the file's place"
        )));
    }
    Ok(file)
}

/// Opens a `pytorch_model.bin`, whose index is read.
///
/// # Errors
/// If it cannot be read, is not a regular file, or its index is refused.
pub fn open_pytorch(path: &Path) -> Result<OnDisk, ModelError> {
    let file = OnDisk::open(path)?;
    Index::read(&file).map_err(pytorch_fault)?;
    Ok(file)
}

/// Returns the number of bytes of a regular file.
///
/// # Errors
/// If it is another kind of thing, or cannot be looked at.
pub fn regular_size(path: &Path) -> Result<u64, ModelError> {
    let metadata = fs::metadata(path).map_err(failed(path))?;
    let found = match metadata.file_type() {
        kind if kind.is_file() => return Ok(metadata.len()),
        kind if kind.is_dir() => "a directory",
        _ => "a device, a pipe or a socket",
    };
    Err(ModelError::NoFile {
        path: path.display().to_string(),
        found,
    })
}

fn read_up_to(path: &Path, file: File, expected: u64, limit: u64) -> Result<Vec<u8>, ModelError> {
    let too_large = || ModelError::TooLarge {
        path: path.display().to_string(),
        limit,
    };
    if expected > limit {
        return Err(too_large());
    }
    let mut bytes = vec![];
    let room = usize::try_from(expected).map_err(|_| too_large())?;
    bytes
        .try_reserve_exact(room)
        .map_err(|error| failed(path)(io::Error::new(io::ErrorKind::OutOfMemory, error)))?;
    file.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(failed(path))?;
    match bytes.len() as u64 > limit {
        true => Err(too_large()),
        false => Ok(bytes),
    }
}

/// Returns the error for a file that the system refuses to open or read.
pub fn failed(path: &Path) -> impl FnOnce(io::Error) -> ModelError {
    move |source| ModelError::File {
        path: path.display().to_string(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_or_too_large_is_refused() {
        let directory =
            std::env::temp_dir().join(format!("attention-files-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join("seven");
        fs::write(&path, b"0123456").unwrap();
        assert_eq!(read_regular(&path, 7).unwrap(), b"0123456");
        for read in [read_regular, read_any] {
            let message = read(&path, 6).unwrap_err().to_string();
            assert!(message.contains("more than 6 bytes"), "{message}");
        }
        let message = read_regular(&directory, 7).unwrap_err().to_string();
        assert!(message.contains("a directory"), "{message}");
        fs::remove_dir_all(&directory).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn devices_that_never_end_are_read_no_further_than_they_may() {
        let zero = Path::new("/dev/zero");
        let message = read_regular(zero, 100).unwrap_err().to_string();
        assert!(message.contains("a device"), "{message}");
        let message = open_weights(zero).map(|_| ()).unwrap_err().to_string();
        assert!(message.contains("a device"), "{message}");
        let message = read_any(zero, 100).unwrap_err().to_string();
        assert!(message.contains("more than 100 bytes"), "{message}");
    }
}
