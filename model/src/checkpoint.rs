//! Checkpoints in Hugging Face's layout: `config.json`, `model.safetensors`, `tokenizer.json`.

use attention_trace::positions::PositionalEncoding;
use attention_trace::{Array, Excerpt, Slice};
use burn::prelude::*;
use serde_json::{Value, json};

use crate::error::ModelError;
use crate::llama::{Llama, LlamaConfig};
use crate::marian::{Marian, MarianConfig};
use crate::tokenizer::Tokenizer;
use crate::weights;

pub use crate::weights::save_weights;

/// The bytes of a checkpoint's three files.
#[derive(Clone)]
pub struct CheckpointFiles {
    /// `config.json`
    pub config: Vec<u8>,
    /// `model.safetensors`
    pub weights: Vec<u8>,
    /// `tokenizer.json`
    pub tokenizer: Vec<u8>,
}

/// A model of either family.
#[derive(Debug)]
pub enum Model {
    /// Encoder–decoder.
    Marian(Box<Marian>),
    /// Decoder-only.
    Llama(Box<Llama>),
}

/// A model with the tokenizer it was trained with.
#[derive(Debug)]
pub struct Checkpoint {
    /// The weights, on their device.
    pub model: Model,
    /// Text to tokens and back.
    pub tokenizer: Tokenizer,
}

impl Checkpoint {
    /// Builds the model that `config.json` describes and fills it with the weights.
    ///
    /// # Errors
    /// If a file is broken, the architecture is not implemented, or a weight is missing or has
    /// another shape than the configuration asks for.
    #[cfg(feature = "tokenizers")]
    pub fn load(files: CheckpointFiles, device: &Device) -> Result<Self, ModelError> {
        let tokenizer = Tokenizer::from_json(&files.tokenizer)?;
        Self::with_tokenizer(files, tokenizer, device)
    }

    /// [`load`](Self::load) with a tokenizer that was read from the files already.
    ///
    /// # Errors
    /// As `load`.
    pub fn with_tokenizer(
        files: CheckpointFiles,
        tokenizer: Tokenizer,
        device: &Device,
    ) -> Result<Self, ModelError> {
        let config: Value = serde_json::from_slice(&files.config)?;
        let model = match config["model_type"].as_str() {
            Some("marian") => {
                check_implemented(&config, &MARIAN_IMPLEMENTED)?;
                let config: MarianConfig = serde_json::from_value(config)?;
                check_vocabulary(&tokenizer, config.vocab_size)?;
                Model::Marian(Box::new(weights::load(
                    Marian::new(&config, device)?,
                    &files.weights,
                )?))
            }
            Some("llama") => {
                check_implemented(&config, &LLAMA_IMPLEMENTED)?;
                let config: LlamaConfig = serde_json::from_value(config)?;
                check_vocabulary(&tokenizer, config.vocab_size)?;
                Model::Llama(Box::new(weights::load(
                    Llama::new(&config, device)?,
                    &files.weights,
                )?))
            }
            other => {
                return Err(ModelError::Unsupported(format!(
                    "model_type {} is not one of marian, llama",
                    other.unwrap_or("(missing)")
                )));
            }
        };
        Ok(Checkpoint { model, tokenizer })
    }

    /// A part of a parameter by its name in `model.safetensors` and in that file's layout, read from the
    /// device; a vector counts as a matrix of one row. `None` if the checkpoint has no such parameter,
    /// or that no such part.
    ///
    /// # Errors
    /// If the device fails while it is read.
    pub async fn parameter(&self, excerpt: &Excerpt) -> Result<Option<Array>, ModelError> {
        let found = match &self.model {
            Model::Marian(model) => weights::parameter(model.as_ref(), &excerpt.array),
            Model::Llama(model) => weights::parameter(model.as_ref(), &excerpt.array),
        };
        let Some(matrix) = found else {
            return Ok(None);
        };
        let [rows, columns] = matrix.dims();
        let part = match excerpt.slice {
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
    /// As `load`, and if a file cannot be read.
    #[cfg(feature = "tokenizers")]
    pub fn open(directory: &std::path::Path, device: &Device) -> Result<Self, ModelError> {
        let read = |name: &str| {
            let path = directory.join(name);
            std::fs::read(&path).map_err(|source| ModelError::File {
                path: path.display().to_string(),
                source,
            })
        };
        let files = CheckpointFiles {
            config: read("config.json")?,
            weights: read("model.safetensors")?,
            tokenizer: read("tokenizer.json")?,
        };
        Self::load(files, device)
    }
}

/// Switches of `config.json` that other checkpoints may set otherwise, with the only value that is
/// implemented. Read past, they would make wrong numbers without a word.
const MARIAN_IMPLEMENTED: [(&str, Value); 6] = [
    ("tie_word_embeddings", Value::Bool(true)),
    ("share_encoder_decoder_embeddings", Value::Bool(true)),
    ("static_position_embeddings", Value::Bool(true)),
    ("normalize_before", Value::Bool(false)),
    ("normalize_embedding", Value::Bool(false)),
    ("add_final_layer_norm", Value::Bool(false)),
];
/// As [`MARIAN_IMPLEMENTED`].
const LLAMA_IMPLEMENTED: [(&str, Value); 2] = [
    ("attention_bias", Value::Bool(false)),
    ("mlp_bias", Value::Bool(false)),
];

fn check_implemented(config: &Value, switches: &[(&str, Value)]) -> Result<(), ModelError> {
    for (name, implemented) in switches {
        match config.get(name) {
            Some(value) if value != implemented => {
                return Err(ModelError::Unsupported(format!(
                    "{name} is {value}; only {implemented} is implemented"
                )));
            }
            _ => {}
        }
    }
    match config["hidden_act"].as_str() {
        None | Some("silu") => Ok(()),
        Some(other) => Err(ModelError::Unsupported(format!(
            "hidden_act is {other}; only silu is implemented"
        ))),
    }
}

fn check_vocabulary(tokenizer: &Tokenizer, rows: usize) -> Result<(), ModelError> {
    let pieces = tokenizer.vocabulary();
    if pieces > rows {
        return Err(ModelError::Tokenizer(format!(
            "it has {pieces} pieces, the model's table only {rows} rows"
        )));
    }
    Ok(())
}

/// `config.json` of a Marian model.
pub fn marian_config_json(config: &MarianConfig) -> Result<Value, ModelError> {
    Ok(merge(
        serde_json::to_value(config)?,
        json!({
            "model_type": "marian",
            "architectures": ["MarianMTModel"],
            "is_encoder_decoder": true,
            "share_encoder_decoder_embeddings": true,
            "tie_word_embeddings": true,
            "static_position_embeddings": true,
            "normalize_before": false,
            "num_hidden_layers": config.encoder_layers,
            "attention_dropout": 0.0,
            "activation_dropout": config.dropout,
            "bad_words_ids": [[config.pad_token_id]],
            "forced_eos_token_id": config.eos_token_id,
            "use_cache": true,
            "dtype": "float16"
        }),
    ))
}

/// `config.json` of a Llama model.
pub fn llama_config_json(config: &LlamaConfig) -> Result<Value, ModelError> {
    // Others would rotate where this model does not: they are told that it is none of theirs.
    let architecture = match config.positions {
        PositionalEncoding::Rope => "LlamaForCausalLM",
        _ => "LlamaWithoutRope",
    };
    Ok(merge(
        serde_json::to_value(config)?,
        json!({
            "model_type": "llama",
            "architectures": [architecture],
            "hidden_act": "silu",
            "attention_bias": false,
            "mlp_bias": false,
            "use_cache": true,
            "dtype": "float16"
        }),
    ))
}

fn merge(mut config: Value, more: Value) -> Value {
    if let (Value::Object(config), Value::Object(more)) = (&mut config, more) {
        config.extend(more);
    }
    config
}
