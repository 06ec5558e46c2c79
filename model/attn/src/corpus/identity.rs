//! The inputs of a run over a corpus: sums of runs with other inputs do not belong together.

use std::collections::BTreeMap;
use std::fmt::{Display, Formatter, Result as FmtResult};
use std::path::{Path, PathBuf};

use attention_model::digest::digest_of_file;
use attention_model::error::ModelError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::hub::HubError;
use crate::options::ModelOption;

/// The files of a model's directory, besides the weights, that decide what the model computes.
const MODEL_FILES: [&str; 6] = [
    "config.json",
    "generation_config.json",
    "tokenizer.json",
    "vocab.json",
    "source.spm",
    "target.spm",
];

/// The command of a run, the digests of its files, and its options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Identity {
    /// The name of the command.
    pub command: String,
    /// The version of `attn`.
    pub version: String,
    /// SHA-256 of each file, by the file's name or the name of its option.
    pub files: BTreeMap<String, String>,
    /// The options that decide the result, by their names.
    pub options: BTreeMap<String, Value>,
}

/// The entry of the weights in [`Identity::files`].
pub const WEIGHTS: &str = "weights";
/// The entry of the corpus in [`Identity::files`].
pub const CORPUS: &str = "corpus";
/// The entry of the pairs that a person aligned in [`Identity::files`].
pub const ALIGNED: &str = "pairs";

impl Identity {
    /// Returns the identity of a command's run over a corpus with this digest, with the files of the model.
    ///
    /// # Errors
    /// If a file of the model cannot be read.
    pub fn of(command: &str, model: &ModelOption, corpus: &str) -> Result<Self, IdentityError> {
        let path = model.path()?;
        let mut files = BTreeMap::from([
            (WEIGHTS.to_owned(), digest_of_file(&weights_file(&path))?),
            (CORPUS.to_owned(), corpus.to_owned()),
        ]);
        for name in MODEL_FILES {
            let file = path.join(name);
            if file.is_file() {
                files.insert(name.to_owned(), digest_of_file(&file)?);
            }
        }
        let options = [
            ("source-language", model.source_language.clone().into()),
            ("target-language", model.target_language.clone().into()),
            ("device", model.device.name().into()),
        ];
        Ok(Identity {
            command: command.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files,
            options: options.map(|(name, value)| (name.to_owned(), value)).into(),
        })
    }

    /// Adds an option that decides the result.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.options.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a file that decides the result.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn with_file(mut self, name: &str, path: &Path) -> Result<Self, ModelError> {
        self.files.insert(name.to_owned(), digest_of_file(path)?);
        Ok(self)
    }

    /// Returns the digest of a file; empty if the run has none of that name.
    pub fn digest(&self, name: &str) -> String {
        self.files.get(name).cloned().unwrap_or_default()
    }

    /// Returns the first input in which another run differs from this one.
    pub fn difference(&self, other: &Identity) -> Option<Difference> {
        let is_other = |name: &str, (own, other): (&str, &str)| {
            let (own, other) = (own.to_owned(), other.to_owned());
            (own != other).then(|| Difference::Value {
                name: name.to_owned(),
                own: own.into(),
                other: other.into(),
            })
        };
        let mut files = self.files.keys().chain(other.files.keys());
        let mut options = self.options.keys().chain(other.options.keys());
        is_other("command", (&self.command, &other.command))
            .or_else(|| is_other("version", (&self.version, &other.version)))
            .or_else(|| {
                let file = files.find(|&name| self.files.get(name) != other.files.get(name))?;
                Some(Difference::File(file.clone()))
            })
            .or_else(|| {
                let name =
                    options.find(|&name| self.options.get(name) != other.options.get(name))?;
                let value = |run: &Identity| run.options.get(name).cloned().unwrap_or_default();
                Some(Difference::Value {
                    name: name.clone(),
                    own: value(self),
                    other: value(other),
                })
            })
    }
}

/// The error for a model whose files cannot be identified.
#[derive(Debug, Error)]
pub enum IdentityError {
    /// The name of the model is none of the hub's cache.
    #[error(transparent)]
    Hub(#[from] HubError),
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] ModelError),
}

/// An input in which two runs differ.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// A file has other contents, or only one run has it.
    File(String),
    /// The command, the version or an option has another value.
    Value {
        /// The name of the option.
        name: String,
        /// The value of this run.
        own: Value,
        /// The value of the other run.
        other: Value,
    },
}

impl Display for Difference {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> FmtResult {
        match self {
            Difference::File(name) => write!(formatter, "another file: {name}"),
            Difference::Value { name, own, other } => {
                write!(formatter, "another {name}: {own}, not {other}")
            }
        }
    }
}

/// Returns the file that the weights of a model are read from, or their index.
pub fn weights_file(model: &Path) -> PathBuf {
    const FILES: [&str; 4] = [
        "model.safetensors",
        "model.safetensors.index.json",
        "pytorch_model.bin",
        "pytorch_model.bin.index.json",
    ];
    if model.is_file() {
        return model.to_owned();
    }
    let mut files = FILES.iter().map(|name| model.join(name));
    let found = files.find(|path| path.is_file());
    found.unwrap_or_else(|| model.join(FILES[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(seed: u64, weights: &str) -> Identity {
        Identity {
            command: "roles".to_owned(),
            version: "1".to_owned(),
            files: BTreeMap::from([(WEIGHTS.to_owned(), weights.to_owned())]),
            options: BTreeMap::new(),
        }
        .with("seed", seed)
    }

    #[test]
    fn the_first_input_that_differs_is_named() {
        let told = |other: &Identity| run(1, "a").difference(other).map(|it| it.to_string());
        assert_eq!(told(&run(1, "a")), None);
        assert_eq!(told(&run(1, "b")).unwrap(), "another file: weights");
        assert_eq!(told(&run(2, "a")).unwrap(), "another seed: 1, not 2");
        let more = run(1, "a").with("reverse", true);
        assert_eq!(told(&more).unwrap(), "another reverse: null, not true");
        let fewer = more.difference(&run(1, "a")).unwrap().to_string();
        assert_eq!(fewer, "another reverse: true, not null");
        let other = Identity {
            command: "eval".to_owned(),
            ..run(1, "a")
        };
        assert_eq!(
            told(&other).unwrap(),
            "another command: \"roles\", not \"eval\""
        );
    }
}
