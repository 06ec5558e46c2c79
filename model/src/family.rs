//! An architecture as a checkpoint is loaded by it, and the checkpoint as it was published.

use burn::prelude::Device;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::ModelError;
use crate::placement::Devices;
use crate::sequence::SequenceModel;
use crate::weights::Weights;

/// An architecture: its names in `config.json`, and the function that loads its checkpoints.
pub struct Family {
    /// The values of `model_type` in `config.json`.
    pub model_types: &'static [&'static str],
    /// True if layers can be on other devices than the main one.
    pub places_layers: bool,
    /// Builds the model that the checkpoint describes, on the main device.
    pub load: fn(&Published<'_>, &Device) -> Loaded,
}

/// The most classes of a classifier.
const MOST_LABELS: usize = 1 << 20;

/// A model, or the error of loading it.
pub type Loaded = Result<Box<dyn SequenceModel>, ModelError>;

/// A checkpoint as it was published.
pub struct Published<'a> {
    /// The contents of `config.json`.
    pub(crate) config: Map<String, Value>,
    /// The file of weights.
    pub weights: Weights<'a>,
    pub(crate) pieces: Pieces<'a>,
    /// The devices of the model.
    pub devices: Devices,
}

/// The pieces of a tokenizer; by default none, where tokens come as numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pieces<'a> {
    /// The number of pieces, special ones included.
    pub count: usize,
    /// The contents of `tokenizer.json`.
    pub file: &'a [u8],
}

impl Pieces<'_> {
    /// Returns the number of pieces that were added to the vocabulary beyond a table of `rows` rows.
    fn added_beyond(self, rows: usize) -> usize {
        #[derive(Deserialize)]
        struct File {
            #[serde(default)]
            added_tokens: Vec<Added>,
        }
        #[derive(Deserialize)]
        struct Added {
            id: u64,
        }
        // A file that is no such one has been refused before.
        let added =
            serde_json::from_slice::<File>(self.file).map_or(vec![], |file| file.added_tokens);
        let beyond = added.iter().filter(|added| added.id >= rows as u64);
        beyond.count()
    }
}

impl Published<'_> {
    /// `config.json` as an architecture reads it.
    ///
    /// # Errors
    /// If a field is missing or of another kind, by its name.
    pub fn config<T: DeserializeOwned>(&self) -> Result<T, ModelError> {
        let config = Value::Object(self.config.clone());
        serde_path_to_error::deserialize(config).map_err(|error| {
            match error.path().to_string() {
                // What is missing is named by the fault itself.
                path if path == "." => error.into_inner().into(),
                field => ModelError::Field {
                    file: "config.json",
                    field,
                    fault: error.into_inner().to_string(),
                },
            }
        })
    }

    /// Returns the names of a classifier's classes, in order. Without `id2label` there are `num_labels` classes without a
    /// name, by default two as in `transformers`.
    ///
    /// # Errors
    /// If `id2label` does not name each class by its number.
    pub fn labels(&self) -> Result<Vec<String>, ModelError> {
        let fault = |fault: String| ModelError::Field {
            file: "config.json",
            field: "id2label".to_owned(),
            fault,
        };
        let entries = match self.config.get("id2label") {
            None | Some(Value::Null) => {
                let count = self.config.get("num_labels").and_then(Value::as_u64);
                let count = count.unwrap_or(2).min(MOST_LABELS as u64);
                return Ok((0..count).map(|class| format!("LABEL_{class}")).collect());
            }
            Some(Value::Object(entries)) if entries.len() <= MOST_LABELS => entries,
            Some(_) => {
                return Err(fault(format!(
                    "it is not an object with a name for each of at most {MOST_LABELS} classes"
                )));
            }
        };
        let label = |class: usize| match entries.get(&class.to_string()) {
            Some(Value::String(label)) => Ok(label.clone()),
            _ => Err(fault(format!(
                "class {class} of {} has no name",
                entries.len()
            ))),
        };
        (0..entries.len()).map(label).collect()
    }

    /// True if `config.json` has such an entry.
    pub fn has_entry(&self, entry: &str) -> bool {
        self.config.contains_key(entry)
    }

    /// Refuses switches of `config.json` that are not set to the only implemented value: ignored, they would silently
    /// give wrong numbers. A missing switch has that value.
    ///
    /// # Errors
    /// The first of them, by name.
    pub fn check_implemented(&self, switches: &[(&str, Value)]) -> Result<(), ModelError> {
        for (name, implemented) in switches {
            match self.config.get(*name) {
                Some(value) if value != implemented => {
                    return Err(ModelError::Unsupported(format!(
                        "{name} is {value}; only {implemented} is implemented"
                    )));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Checks that a table of `rows` rows has one for each piece of the tokenizer, except those added to the
    /// vocabulary: many published models lack a row for a padding token added later, and a text without such a token
    /// needs none.
    ///
    /// # Errors
    /// If it has not.
    pub fn check_vocabulary(&self, rows: usize) -> Result<(), ModelError> {
        let pieces = self.pieces.count;
        if pieces > rows && pieces - self.pieces.added_beyond(rows).min(pieces) > rows {
            return Err(ModelError::Tokenizer(format!(
                "it has {pieces} pieces, the model's table only {rows} rows; is it another model's?"
            )));
        }
        Ok(())
    }
}

/// `config` with the entries of `more`.
#[cfg(feature = "train")]
pub fn merge(mut config: Value, more: Value) -> Value {
    if let (Value::Object(config), Value::Object(more)) = (&mut config, more) {
        config.extend(more);
    }
    config
}
