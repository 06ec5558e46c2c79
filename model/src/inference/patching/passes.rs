//! The passes of one run with different places patched, many in a batch.

use attention_trace::Stack;
use burn::prelude::*;

use super::cells::Group;
use crate::checkpoint::Checkpoint;
use crate::error::ModelError;
use crate::inference::{Read, ids, read_logits, row};
use crate::sequence::{Source, State};
use crate::tap::Tap;

/// The data that the passes of a map share.
pub struct Passes<'a> {
    checkpoint: &'a Checkpoint,
    device: &'a Device,
    source: Option<Vec<u32>>,
    target: Vec<u32>,
    /// The words whose logits are compared.
    words: [u32; 2],
    /// The state of the unpatched run after the source and the beginning of the target.
    prefix: Option<State>,
}

impl<'a> Passes<'a> {
    /// Creates the passes of a run that reads these tokens; the first of the `words` is the answer.
    pub fn new(
        checkpoint: &'a Checkpoint,
        read: &Read,
        words: [u32; 2],
        device: &'a Device,
    ) -> Self {
        Passes {
            checkpoint,
            device,
            source: read.source.as_deref().map(ids),
            target: read.target.as_deref().map(ids).unwrap_or_default(),
            words,
            prefix: None,
        }
    }

    /// Computes the answer's logit minus the other word's, for each sequence of a batch.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn patched(
        &mut self,
        stack: Stack,
        group: Group<'_>,
    ) -> Result<Vec<f32>, ModelError> {
        let model = &*self.checkpoint.model;
        let (count, device) = (group.len(), self.device);
        let mut tap = Tap::quiet().with_each(group.taken());
        let mut state = match stack {
            Stack::Encoder => model.start(self.sources(count), &mut tap),
            Stack::Decoder => self.after(group.first()).copies(count, device),
        };
        let tokens = row(&self.target[state.position..], device).repeat_dim(0, count);
        let states = model.advance(tokens, &mut state, &mut tap);
        let [_, length, _] = states.dims();
        let last: Tensor<2> = states.narrow(1, length - 1, 1).squeeze_dim(1);
        let words = self.words.map(|word| word as i32);
        let words = Tensor::<1, Int>::from_data(TensorData::from(words), device);
        let logits = read_logits(model.logits(last).select(1, words)).await?;
        Ok(logits.iter().map(|pair| pair[0] - pair[1]).collect())
    }

    fn sources(&self, count: usize) -> Option<Source> {
        let source = row(self.source.as_deref()?, self.device);
        Some(source.repeat_dim(0, count).into())
    }

    /// Returns the state after the tokens before a position of the target. Positions must come in order.
    fn after(&mut self, position: usize) -> &State {
        let model = &*self.checkpoint.model;
        let (source, device) = (self.sources(1), self.device);
        let start = || model.start(source, &mut Tap::quiet());
        let state = self.prefix.get_or_insert_with(start);
        if state.position < position {
            let new = row(&self.target[state.position..position], device);
            model.advance(new, state, &mut Tap::quiet());
        }
        state
    }
}
