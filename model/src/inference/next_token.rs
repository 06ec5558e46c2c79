//! A model behind the interface of the search, with a key/value cache.

use attention_trace::Edit;
use burn::prelude::*;

use super::{read_logits, row, tensor};
use crate::checkpoint::Backing;
use crate::decoding::{NextToken, one};
use crate::error::ModelError;
use crate::sequence::{SequenceModel, State};
use crate::tap::Tap;

/// A model that decodes.
pub(crate) struct Decoder<'a> {
    model: &'a dyn SequenceModel,
    state: State,
    edits: &'a [Edit],
    device: &'a Device,
    /// The files that weights may stay in.
    backing: Backing,
}

impl<'a> Decoder<'a> {
    /// Creates a decoder that has read the `source`, which is `None` for a decoder-only model. Edits apply to
    /// everything that it computes.
    pub(crate) fn new(
        model: &'a dyn SequenceModel,
        source: Option<&[u32]>,
        edits: &'a [Edit],
        device: &'a Device,
    ) -> Self {
        let source = source.map(|source| row(source, device).into());
        Decoder {
            state: model.start(source, &mut Tap::quiet().with_edits(edits)),
            model,
            edits,
            device,
            backing: Backing::default(),
        }
    }

    /// Sets the files that weights may stay in, which every step checks.
    pub(crate) fn with_backing(self, backing: &Backing) -> Self {
        Decoder {
            backing: backing.clone(),
            ..self
        }
    }

    async fn read(&mut self, tokens: Tensor<2, Int>) -> Result<Vec<Vec<f32>>, ModelError> {
        // As in a pass: before it, and after it.
        self.backing.check()?;
        let tap = &mut Tap::quiet().with_edits(self.edits);
        let states = self.model.advance(tokens, &mut self.state, tap);
        let logits = read_logits(self.model.logits(last_positions(states))).await?;
        self.backing.check()?;
        Ok(logits)
    }
}

impl NextToken for Decoder<'_> {
    async fn begin(&mut self, tokens: &[u32]) -> Result<Vec<f32>, ModelError> {
        self.state = self.state.restarted();
        one(self.read(row(tokens, self.device)).await?)
    }

    async fn step(&mut self, tokens: &[u32]) -> Result<Vec<Vec<f32>>, ModelError> {
        self.read(tensor(tokens, [tokens.len(), 1], self.device))
            .await
    }

    fn select(&mut self, parents: &[usize]) {
        if !is_identity(parents, self.state.sequences()) {
            self.state.select(&parents_tensor(parents, self.device));
        }
    }
}

/// Returns the states of each sequence's last position, `[sequences, width]` from `[sequences, length, width]`.
fn last_positions(states: Tensor<3>) -> Tensor<2> {
    let [_, length, _] = states.dims();
    states.narrow(1, length - 1, 1).squeeze_dim(1)
}

fn parents_tensor(parents: &[usize], device: &Device) -> Tensor<1, Int> {
    let parents: Vec<i32> = parents.iter().map(|&parent| parent as i32).collect();
    let count = parents.len();
    Tensor::from_data(TensorData::new(parents, [count]), device)
}

/// Returns true if a selection keeps every sequence in its place.
fn is_identity(parents: &[usize], sequences: usize) -> bool {
    parents.len() == sequences
        && parents
            .iter()
            .enumerate()
            .all(|(index, &parent)| index == parent)
}
