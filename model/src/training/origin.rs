//! Hashes of a run's inputs, so that it is not continued with others.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::files::{TOKENIZER, WEIGHTS, read};
use super::{Recipe, TrainError, TrainOptions};
use crate::digest::digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

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
