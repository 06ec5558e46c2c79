//! Checkpoints in Hugging Face's layout: `config.json`, `model.safetensors`, `tokenizer.json`.

use burn::prelude::*;
use burn::store::{
    BurnToPyTorchAdapter, FloatCastAdapter, ModuleAdapter, ModuleSnapshot, PyTorchToBurnAdapter,
    SafetensorsStore,
};
use burn::tensor::DType;
use serde_json::{Value, json};

use crate::error::ModelError;
use crate::llama::{Llama, LlamaConfig};
use crate::marian::{Marian, MarianConfig};
use crate::tokenizer::Tokenizer;

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
    pub fn load(files: CheckpointFiles, device: &Device) -> Result<Self, ModelError> {
        let config: Value = serde_json::from_slice(&files.config)?;
        let tokenizer = Tokenizer::from_json(&files.tokenizer)?;
        let model = match config["model_type"].as_str() {
            Some("marian") => {
                let config: MarianConfig = serde_json::from_value(config)?;
                check_vocabulary(&tokenizer, config.vocab_size)?;
                Model::Marian(Box::new(load_weights(config.init(device)?, files.weights)?))
            }
            Some("llama") => {
                let config: LlamaConfig = serde_json::from_value(config)?;
                check_vocabulary(&tokenizer, config.vocab_size)?;
                Model::Llama(Box::new(load_weights(config.init(device)?, files.weights)?))
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

    /// [`load`](Self::load) from a directory.
    ///
    /// # Errors
    /// As `load`, and if a file cannot be read.
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

fn check_vocabulary(tokenizer: &Tokenizer, rows: usize) -> Result<(), ModelError> {
    let pieces = tokenizer.vocabulary();
    if pieces > rows {
        return Err(ModelError::Tokenizer(format!(
            "it has {pieces} pieces, the model's table only {rows} rows"
        )));
    }
    Ok(())
}

/// Fills `module` from a safetensors file; half-precision weights become f32.
fn load_weights<M: ModuleSnapshot>(mut module: M, weights: Vec<u8>) -> Result<M, ModelError> {
    let adapter = PyTorchToBurnAdapter.chain(FloatCastAdapter::to(DType::F32));
    let mut store = SafetensorsStore::from_bytes(Some(weights))
        .with_from_adapter(adapter)
        .allow_partial(true);
    let result = module
        .load_from(&mut store)
        .map_err(|error| ModelError::Weights(error.to_string()))?;
    if let Some(error) = result.errors.first() {
        return Err(ModelError::Weights(error.to_string()));
    }
    // Marian's bias on the logits is zero in most checkpoints, and left out of some.
    let missing = result
        .missing
        .iter()
        .map(|(name, _)| name)
        .find(|name| *name != "final_logits_bias");
    match missing {
        Some(name) => Err(ModelError::Weights(format!("`{name}` is missing"))),
        None => Ok(module),
    }
}

/// `model.safetensors` of `module`: names and layout as PyTorch has them, values as f16.
///
/// # Errors
/// If the weights cannot be read from their device.
pub fn save_weights<M: ModuleSnapshot>(module: &M) -> Result<Vec<u8>, ModelError> {
    let adapter = BurnToPyTorchAdapter.chain(FloatCastAdapter::to(DType::F16));
    let mut store = SafetensorsStore::from_bytes(None)
        .with_to_adapter(adapter)
        .clear_metadata()
        .metadata("format", "pt");
    module
        .save_into(&mut store)
        .map_err(|error| ModelError::Weights(error.to_string()))?;
    store
        .get_bytes()
        .map_err(|error| ModelError::Weights(error.to_string()))
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
    Ok(merge(
        serde_json::to_value(config)?,
        json!({
            "model_type": "llama",
            "architectures": ["LlamaForCausalLM"],
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
