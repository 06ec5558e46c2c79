//! Hashes of a run's inputs, so that it is not continued with others.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::files::{TOKENIZER, WEIGHTS, read};
use super::{Recipe, TrainError, TrainOptions};
use crate::error::ModelError;
use crate::files::failed;

/// SHA-256 of the recipe's entries, of the data and of the tokenizer, by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Origin(BTreeMap<String, String>);

impl Origin {
    /// Computes the hashes of `recipe`, and of the data, the tokenizer and the initial weights that `options` name.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn of(recipe: &Recipe, options: &TrainOptions) -> Result<Self, TrainError> {
        let entries = serde_json::to_value(recipe)
            .map_err(|error| TrainError::Checkpoint(error.to_string()))?;
        let mut digests = BTreeMap::new();
        if let Value::Object(entries) = entries {
            for (name, value) in entries {
                digests.insert(
                    format!("the recipe's `{name}`"),
                    digest(value.to_string().as_bytes()),
                );
            }
        }
        let mut file = |name: String, path: PathBuf| {
            digests.insert(name, digest(&read(&path)?));
            Ok::<_, TrainError>(())
        };
        let data = options.data.as_deref().unwrap_or(Path::new(""));
        for source in &recipe.data {
            file(source.file.display().to_string(), data.join(&source.file))?;
        }
        file(TOKENIZER.to_owned(), options.out.join(TOKENIZER))?;
        if let Some(from) = &options.from {
            file(format!("{WEIGHTS} to start from"), from.join(WEIGHTS))?;
        }
        Ok(Origin(digests))
    }

    /// Checks that the inputs are the same as when the run in `run` began.
    ///
    /// # Errors
    /// The first thing that differs.
    pub fn check(&self, now: &Origin, run: &Path) -> Result<(), TrainError> {
        let mut names = self.0.keys().chain(now.0.keys());
        match names.find(|&name| self.0.get(name) != now.0.get(name)) {
            Some(what) => Err(TrainError::Changed {
                what: what.clone(),
                run: run.display().to_string(),
            }),
            None => Ok(()),
        }
    }
}

/// SHA-256, in hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// Computes the SHA-256 of a file's contents, in hexadecimal digits, without holding them in memory.
///
/// # Errors
/// If the file cannot be read.
pub fn digest_of_file(path: &Path) -> Result<String, ModelError> {
    let mut file = File::open(path).map_err(failed(path))?;
    let mut hasher = Sha256::new();
    io::copy(&mut file, &mut hasher).map_err(failed(path))?;
    Ok(hexadecimal(&hasher.finalize()))
}

fn hexadecimal(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
