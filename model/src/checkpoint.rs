//! Checkpoints in Hugging Face's layout: `config.json`, `model.safetensors`, `tokenizer.json`, and in some
//! `generation_config.json`.

#[cfg(feature = "tokenizers")]
mod directory;

use attention_trace::{Array, Parameter, Slice};
use burn::prelude::*;

use crate::error::ModelError;
use crate::families::{self, Pieces};
use crate::generation::Generation;
use crate::sequence::{Control, SequenceModel};
use crate::tokenizer::Tokenizer;

/// The bytes of a checkpoint's files.
#[derive(Clone, Default)]
pub struct CheckpointFiles {
    /// The contents of `config.json`.
    pub config: Vec<u8>,
    /// The contents of `model.safetensors`.
    pub weights: Vec<u8>,
    /// The contents of `tokenizer.json`.
    pub tokenizer: Vec<u8>,
    /// The contents of `generation_config.json`, which many checkpoints lack.
    pub generation: Option<Vec<u8>>,
}

/// A model with the tokenizer it was trained with.
#[derive(Debug)]
pub struct Checkpoint {
    /// The weights, on their device.
    pub model: Box<dyn SequenceModel>,
    /// Converts text to tokens and back.
    pub tokenizer: Tokenizer,
    /// The tokens, rules and notes that control generation.
    pub generation: Generation,
}

impl Checkpoint {
    /// Creates a checkpoint from a model in memory and a tokenizer.
    pub fn new(model: Box<dyn SequenceModel>, tokenizer: Tokenizer) -> Self {
        let generation = Generation {
            control: model.control(),
            notes: vec![],
        };
        Checkpoint {
            model,
            tokenizer,
            generation,
        }
    }

    /// Builds the model that `config.json` describes and fills it with the weights.
    ///
    /// # Errors
    /// If a file is broken, the architecture is not implemented, or a weight is missing or has
    /// another shape than the configuration asks for.
    #[cfg(feature = "tokenizers")]
    pub fn load(files: CheckpointFiles, device: &Device) -> Result<Self, ModelError> {
        let tokenizer = Tokenizer::from_json(&files.tokenizer)?;
        Self::with_tokenizer(&files, tokenizer, device)
    }

    /// [`load`](Self::load) with a tokenizer that was read from the files already.
    ///
    /// # Errors
    /// As `load`.
    pub fn with_tokenizer(
        files: &CheckpointFiles,
        tokenizer: Tokenizer,
        device: &Device,
    ) -> Result<Self, ModelError> {
        let pieces = Pieces {
            count: tokenizer.vocabulary(),
            file: &files.tokenizer,
        };
        let model = families::load(&files.config, &files.weights, pieces, device)?;
        let generation = Generation::of(&*model, &files.config, files.generation.as_deref())?;
        Ok(Checkpoint {
            model,
            tokenizer,
            generation,
        })
    }

    /// Returns the tokens and rules that control generation.
    pub fn control(&self) -> &Control {
        &self.generation.control
    }

    /// Reads a part of a parameter from the device. `None` if the model has no such parameter, or the parameter no such
    /// part.
    ///
    /// # Errors
    /// If the device fails while it is read.
    pub async fn parameter(
        &self,
        parameter: Parameter,
        slice: Slice,
    ) -> Result<Option<Array>, ModelError> {
        let Some(matrix) = self.model.parameter(parameter) else {
            return Ok(None);
        };
        let [rows, columns] = matrix.dims();
        let part = match slice {
            Slice::Whole => matrix,
            Slice::Rows(from, to) if from < to && to <= rows => matrix.narrow(0, from, to - from),
            _ => return Ok(None),
        };
        let shape = vec![part.dims()[0], columns];
        let data = part
            .into_data_async()
            .await
            .map_err(|error| ModelError::Device(error.to_string()))?
            .try_into_vec::<f32>()
            .map_err(|error| ModelError::Device(format!("{error:?}")))?;
        Ok(Some(Array { shape, data }))
    }

    /// [`load`](Self::load) from a directory.
    ///
    /// # Errors
    /// As `load`, and if a file is missing or cannot be read.
    #[cfg(feature = "tokenizers")]
    pub fn open(directory: &std::path::Path, device: &Device) -> Result<Self, ModelError> {
        let files = directory::read(directory)?;
        Self::load(files, device)
    }
}
