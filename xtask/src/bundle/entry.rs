//! Served files and the files they are made of.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::error::Error;

/// A file that is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its path in the repository or its name in the step that made it, with `/` between the parts.
    pub name: String,
    /// Its address below the page's.
    pub to: String,
    /// The file it is copied from.
    pub from: PathBuf,
}

impl Entry {
    /// A file that is served under its own name.
    pub fn new(name: impl Into<String>, from: PathBuf) -> Self {
        let name = name.into();
        Self {
            to: name.clone(),
            name,
            from,
        }
    }

    /// True for a WebAssembly module.
    pub fn is_wasm(&self) -> bool {
        self.to.ends_with(".wasm")
    }
}

/// Every file below `directory`, in order of address; addresses begin with `prefix`.
///
/// # Errors
/// If a directory cannot be listed.
pub fn tree(directory: &Path, prefix: &str) -> Result<Vec<Entry>, Error> {
    let listed = |source| Error::file("list", directory)(source);
    let mut entries = Vec::new();
    for item in fs::read_dir(directory).map_err(listed)? {
        let path = item.map_err(Error::file("list", directory))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let address = format!("{prefix}{name}");
        if path.is_dir() {
            entries.extend(tree(&path, &format!("{address}/"))?);
        } else {
            entries.push(Entry::new(address, path));
        }
    }
    entries.sort_by(|one, other| one.to.cmp(&other.to));
    Ok(entries)
}
