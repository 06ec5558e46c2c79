//! Generates the strings of the page and the table of its models.

mod models;
mod strings;

use std::{
    env,
    error::Error,
    fs, io,
    path::{Path, PathBuf},
};

fn main() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let languages = strings::write(&out)?;
    models::write(&out, &languages)?;
    Ok(())
}

/// The entries of a directory, in order.
fn entries(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory)?;
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<_>>()?;
    paths.sort();
    Ok(paths)
}
