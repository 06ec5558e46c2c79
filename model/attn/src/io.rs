//! Checkpoints and files that commands read and write, and the bar of their progress.

use std::error::Error;
use std::fs;
use std::path::Path;

use attention_model::checkpoint::Checkpoint;
use attention_model::error::ModelError;
use attention_model::files::{LARGEST_DATA, LARGEST_WEIGHTS, failed, read_any, read_text};
use attention_trace::text::without_byte_order_mark;
use burn::tensor::Device;
use indicatif::{ProgressBar, ProgressStyle};

use crate::options::ModelOption;
use crate::terminal::escaped;

/// The result of a command, which prints or writes its output.
pub type Outcome = Result<(), Box<dyn Error>>;

/// Opens a checkpoint for the languages of the options; prints notes on its files on standard error.
pub fn open(option: &ModelOption, device: &Device) -> Result<Checkpoint, Box<dyn Error>> {
    Ok(open_at(&option.path()?, option, device)?)
}

/// Opens the checkpoint at `path` for the languages of the options; prints notes on its files on standard error.
pub fn open_at(
    path: &Path,
    option: &ModelOption,
    device: &Device,
) -> Result<Checkpoint, ModelError> {
    let (source, target) = (&option.source_language, &option.target_language);
    let checkpoint = Checkpoint::open(path, device)?;
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
