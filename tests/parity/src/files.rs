//! A checkpoint's files, which tests change before they are read.

use attention_model::checkpoint::{Checkpoint, CheckpointFiles};
use attention_model::error::ModelError;
use burn::prelude::Device;
use safetensors::SafeTensors;
use safetensors::tensor::TensorView;
use serde_json::Value;

use crate::fixture::fixtures;

/// The files of a checkpoint, changed by tests.
#[derive(Clone)]
pub struct Files {
    pub config: Vec<u8>,
    pub weights: Vec<u8>,
    pub tokenizer: Vec<u8>,
    pub generation: Option<Vec<u8>>,
}

impl Files {
    pub fn read(name: &str) -> Self {
        let read = |file| std::fs::read(fixtures().join("tiny").join(name).join(file)).unwrap();
        Files {
            config: read("config.json"),
            weights: read("model.safetensors"),
            tokenizer: read("tokenizer.json"),
            generation: None,
        }
    }

    pub fn load(self) -> Result<Checkpoint, ModelError> {
        let Files {
            config,
            weights,
            tokenizer,
            generation,
        } = self;
        let files = CheckpointFiles {
            config,
            weights: weights.into(),
            tokenizer,
            generation,
            ..CheckpointFiles::default()
        };
        Checkpoint::load(files, &Device::flex())
    }

    /// Adds a `generation_config.json` with these settings.
    pub fn with_generation(mut self, settings: &Value) -> Self {
        self.generation = Some(serde_json::to_vec(settings).unwrap());
        self
    }

    /// Sets entries of `config.json`, or removes those that are null.
    pub fn with_config(mut self, changes: Value) -> Self {
        let mut config: Value = serde_json::from_slice(&self.config).unwrap();
        for (name, value) in changes.as_object().unwrap() {
            match value {
                Value::Null => config.as_object_mut().unwrap().remove(name),
                value => config
                    .as_object_mut()
                    .unwrap()
                    .insert(name.clone(), value.clone()),
            };
        }
        self.config = serde_json::to_vec(&config).unwrap();
        self
    }

    /// Replaces each tensor by those that `change` returns: none, another, or more.
    pub fn with_tensors<'a>(
        &'a self,
        change: impl Fn(String, TensorView<'a>) -> Vec<(String, TensorView<'a>)>,
    ) -> Self {
        let file = SafeTensors::deserialize(&self.weights).unwrap();
        let tensors = file
            .tensors()
            .into_iter()
            .flat_map(|(name, view)| change(name, view));
        let weights = safetensors::serialize(tensors, None).unwrap();
        Files {
            weights,
            ..self.clone()
        }
    }

    /// Replaces the bytes of each tensor, and its shape, by those that `change` returns.
    pub fn with_values(
        &self,
        change: impl Fn(&str, &TensorView<'_>) -> (Vec<u8>, Vec<usize>),
    ) -> Self {
        let file = SafeTensors::deserialize(&self.weights).unwrap();
        let changed: Vec<_> = file
            .tensors()
            .into_iter()
            .map(|(name, view)| {
                let (bytes, shape) = change(&name, &view);
                (name, view.dtype(), shape, bytes)
            })
            .collect();
        let tensors = changed.iter().map(|(name, dtype, shape, bytes)| {
            let view = TensorView::new(*dtype, shape.clone(), bytes).unwrap();
            (name.as_str(), view)
        });
        let weights = safetensors::serialize(tensors, None).unwrap();
        Files {
            weights,
            ..self.clone()
        }
    }
}
