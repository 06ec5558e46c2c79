//! The architectures that can be loaded: the one list of them.

use burn::prelude::Device;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::ModelError;
use crate::sequence::SequenceModel;
use crate::{bert, gpt2, gru, llama, marian, t5, universal};

/// All of them.
const FAMILIES: [Family; 7] = [
    marian::FAMILY,
    llama::FAMILY,
    gpt2::FAMILY,
    t5::FAMILY,
    bert::FAMILY,
    gru::FAMILY,
    universal::FAMILY,
];

/// An architecture: how its checkpoints are told and read.
pub struct Family {
    /// What `model_type` of `config.json` says.
    pub model_types: &'static [&'static str],
    /// Builds the model that the checkpoint describes, on a device.
    pub load: fn(&Published<'_>, &Device) -> Loaded,
}

/// A model, or why there is none.
pub type Loaded = Result<Box<dyn SequenceModel>, ModelError>;

/// A checkpoint as it was published.
pub struct Published<'a> {
    /// `config.json`
    config: Value,
    /// `model.safetensors`
    pub weights: &'a [u8],
    /// Pieces of the tokenizer.
    pieces: usize,
}

/// Builds the model of a checkpoint.
///
/// # Errors
/// If the architecture is not implemented, or a weight is missing or has another shape than the configuration asks
/// for.
pub fn load(config: &[u8], weights: &[u8], pieces: usize, device: &Device) -> Loaded {
    let config: Value = serde_json::from_slice(config)?;
    let model_type = config["model_type"].as_str().unwrap_or("(missing)");
    let family = FAMILIES
        .iter()
        .find(|family| family.model_types.contains(&model_type));
    let Some(family) = family else {
        let known = FAMILIES
            .map(|family| family.model_types)
            .concat()
            .join(", ");
        return Err(ModelError::Unsupported(format!(
            "model_type {model_type} is not one of {known}"
        )));
    };
    let published = Published {
        config,
        weights,
        pieces,
    };
    (family.load)(&published, device)
}

impl Published<'_> {
    /// `config.json` as an architecture reads it.
    ///
    /// # Errors
    /// If a field is missing or of another kind.
    pub fn config<T: DeserializeOwned>(&self) -> Result<T, ModelError> {
        Ok(serde_json::from_value(self.config.clone())?)
    }

    /// Refuses switches of `config.json` that are set to another than the only implemented value: read past, they
    /// would make wrong numbers without a word. A missing switch has that value.
    ///
    /// # Errors
    /// The first of them, by name.
    pub fn check_implemented(&self, switches: &[(&str, Value)]) -> Result<(), ModelError> {
        for (name, implemented) in switches {
            match self.config.get(name) {
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

    /// Makes sure that a table of so many rows has one for each piece of the tokenizer.
    ///
    /// # Errors
    /// If it has not.
    pub fn check_vocabulary(&self, rows: usize) -> Result<(), ModelError> {
        let pieces = self.pieces;
        if pieces > rows {
            return Err(ModelError::Tokenizer(format!(
                "it has {pieces} pieces, the model's table only {rows} rows"
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
