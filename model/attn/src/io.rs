//! Checkpoints and files that commands read and write, and the bar of their progress.

use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use attention_model::checkpoint::Checkpoint;
use attention_model::error::ModelError;
use attention_model::files::{LARGEST_DATA, LARGEST_WEIGHTS, failed, read_any, read_text};
use attention_model::placement::Devices;
use attention_trace::text::without_byte_order_mark;
use burn::tensor::Device;
use indicatif::style::TemplateError;
use indicatif::{ProgressBar, ProgressStyle};

use crate::options::ModelOption;
use crate::terminal::escaped;

/// The result of a command, which prints or writes its output.
pub type Outcome = Result<(), Box<dyn Error>>;

/// Opens a checkpoint for the languages of the options; prints notes on its files on standard error.
pub fn open(option: &ModelOption, device: &Device) -> Result<Checkpoint, Box<dyn Error>> {
    Ok(open_at(&option.path()?, option, option.devices(device)?)?)
}

/// Opens the checkpoint at `path` for the languages of the options; prints notes on its files on standard error.
pub fn open_at(
    path: &Path,
    option: &ModelOption,
    devices: Devices,
) -> Result<Checkpoint, ModelError> {
    let (source, target) = (&option.source_language, &option.target_language);
    let checkpoint = Checkpoint::open(path, &devices)?;
    Ok(noted(
        checkpoint.with_languages(source.as_deref(), target.as_deref())?,
    ))
}

/// Opens the checkpoint in a directory, with the languages of its files; prints notes on them on standard error.
pub fn open_directory(directory: &Path, device: &Device) -> Result<Checkpoint, ModelError> {
    Ok(noted(Checkpoint::open(directory, device)?))
}

fn noted(checkpoint: Checkpoint) -> Checkpoint {
    for note in checkpoint.notes() {
        eprintln!("attn: {}", escaped(&note));
    }
    checkpoint
}

pub fn progress_bar(pairs: usize) -> Result<ProgressBar, Box<dyn Error>> {
    let style = ProgressStyle::with_template("{pos}/{len} pairs {bar:30} {per_sec}, {eta} left")?;
    Ok(ProgressBar::new(pairs as u64).with_style(style))
}

/// Creates a bar of the lines of a file.
///
/// # Errors
/// If its template is wrong.
pub fn lines_bar(lines: usize) -> Result<ProgressBar, TemplateError> {
    let style = ProgressStyle::with_template("{pos}/{len} lines {bar:30} {per_sec}, {eta} left")?;
    Ok(ProgressBar::new(lines as u64).with_style(style))
}

/// Reads a text file, without a byte order mark.
pub fn read(path: &Path) -> Result<String, ModelError> {
    let text = read_text(path, LARGEST_DATA)?;
    Ok(without_byte_order_mark(&text).to_owned())
}

pub fn read_bytes(path: &Path) -> Result<Vec<u8>, ModelError> {
    read_any(path, LARGEST_WEIGHTS)
}

pub fn write(path: &Path, bytes: &[u8]) -> Result<(), ModelError> {
    fs::write(path, bytes).map_err(failed(path))
}

/// Writes a file completely or not at all: a full disk or a killed process leaves what was there before. A device or a
/// pipe is written to as it is.
///
/// # Errors
/// If the file cannot be written.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), ModelError> {
    let is_special = path.exists() && !path.is_file();
    if is_special {
        return write(path, bytes);
    }
    // A link stays one.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mut partial = target.clone().into_os_string();
    partial.push(".new");
    let partial = PathBuf::from(partial);
    let written = File::create(&partial).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    if let Err(error) = written {
        #[expect(
            clippy::unused_result_ok,
            reason = "if the file stays, the next attempt overwrites it"
        )]
        fs::remove_file(&partial).ok();
        return Err(failed(path)(error));
    }
    fs::rename(&partial, &target).map_err(failed(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_written_stays_as_it_was() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("roles.json");
        replace(&path, b"before").unwrap();
        // A directory in the way of the partial file.
        let partial = directory.path().join("roles.json.new");
        fs::create_dir(&partial).unwrap();
        let message = replace(&path, b"after").unwrap_err().to_string();
        assert!(message.contains("roles.json: "), "{message}");
        assert_eq!(fs::read(&path).unwrap(), b"before");
        fs::remove_dir(&partial).unwrap();
        replace(&path, b"after").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"after");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_device_is_named() {
        let message = replace(Path::new("/dev/full"), b"x")
            .unwrap_err()
            .to_string();
        assert!(message.starts_with("/dev/full: No space left"), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let directory = tempfile::tempdir().unwrap();
        let [file, link] = ["file", "link"].map(|name| directory.path().join(name));
        fs::write(&file, b"before").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        replace(&link, b"after").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"after");
    }
}
