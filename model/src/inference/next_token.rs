//! The two families as the search asks them for the next token, with a key/value cache.

use burn::prelude::*;

use super::{read_logits, row, tensor};
use crate::decoding::{NextToken, one};
use crate::error::ModelError;
use crate::llama::{Llama, LlamaCache};
use crate::marian::{Marian, MarianCache, Memory};
use crate::pass::Pass;

/// A Marian model that decodes.
pub(crate) struct MarianNext<'a> {
    model: &'a Marian,
    memory: Memory,
    cache: MarianCache,
    device: &'a Device,
}

impl<'a> MarianNext<'a> {
    /// One that has read the `source`.
    pub(crate) fn new(model: &'a Marian, source: &[u32], device: &'a Device) -> Self {
        MarianNext {
            model,
            memory: model.encode(row(source, device), None, &mut Pass::quiet()),
            cache: model.cache(),
            device,
        }
    }

    async fn read(&mut self, tokens: Tensor<2, Int>) -> Result<Vec<Vec<f32>>, ModelError> {
        let pass = &mut Pass::quiet();
        let states = self
            .model
            .decode(tokens, &self.memory, &mut self.cache, pass);
        read_logits(self.model.logits(last_positions(states))).await
    }
}

impl NextToken for MarianNext<'_> {
    async fn begin(&mut self, tokens: &[u32]) -> Result<Vec<f32>, ModelError> {
        self.cache = self.model.cache();
        one(self.read(row(tokens, self.device)).await?)
    }

    async fn step(&mut self, tokens: &[u32]) -> Result<Vec<Vec<f32>>, ModelError> {
        self.read(tensor(tokens, [tokens.len(), 1], self.device))
            .await
    }

    fn select(&mut self, parents: &[usize]) {
        if !is_identity(parents, self.cache.sequences()) {
            self.cache.select(&parents_tensor(parents, self.device));
        }
    }
}

/// A Llama model that decodes.
pub(crate) struct LlamaNext<'a> {
    model: &'a Llama,
    cache: LlamaCache,
    device: &'a Device,
}

impl<'a> LlamaNext<'a> {
    /// One that has read nothing yet.
    pub(crate) fn new(model: &'a Llama, device: &'a Device) -> Self {
        LlamaNext {
            model,
            cache: model.cache(),
            device,
        }
    }

    async fn read(&mut self, tokens: Tensor<2, Int>) -> Result<Vec<Vec<f32>>, ModelError> {
        let states = self
            .model
            .forward(tokens, &mut self.cache, &mut Pass::quiet());
        read_logits(self.model.logits(last_positions(states))).await
    }
}

impl NextToken for LlamaNext<'_> {
    async fn begin(&mut self, tokens: &[u32]) -> Result<Vec<f32>, ModelError> {
        self.cache = self.model.cache();
        one(self.read(row(tokens, self.device)).await?)
    }

    async fn step(&mut self, tokens: &[u32]) -> Result<Vec<Vec<f32>>, ModelError> {
        self.read(tensor(tokens, [tokens.len(), 1], self.device))
            .await
    }

    fn select(&mut self, parents: &[usize]) {
        if !is_identity(parents, self.cache.sequences()) {
            self.cache.select(&parents_tensor(parents, self.device));
        }
    }
}

/// The states of each sequence's last position, `[sequences, width]` of `[sequences, length, width]`.
fn last_positions(states: Tensor<3>) -> Tensor<2> {
    let [_, length, _] = states.dims();
    states.narrow(1, length - 1, 1).squeeze_dim(1)
}

fn parents_tensor(parents: &[usize], device: &Device) -> Tensor<1, Int> {
    let parents: Vec<i32> = parents.iter().map(|&parent| parent as i32).collect();
    let count = parents.len();
    Tensor::from_data(TensorData::new(parents, [count]), device)
}

/// Whether a selection leaves every sequence where it is.
fn is_identity(parents: &[usize], sequences: usize) -> bool {
    parents.len() == sequences
        && parents
            .iter()
            .enumerate()
            .all(|(index, &parent)| index == parent)
}
