//! What every model is to those who run it.

use std::fmt::Debug;

use attention_trace::{ModelSpec, Parameter};
use burn::prelude::*;

use crate::attention::{KeyValueCache, Mask};
use crate::decoding::Rules;
use crate::tap::Tap;

/// A model of sequences: it reads a source, if it has an encoder, then target tokens piece by piece.
pub trait SequenceModel: Debug + Send + Sync {
    /// What it is.
    fn spec(&self) -> ModelSpec;

    /// The tokens that steer it, as its configuration has them; what the files of a checkpoint say besides is in
    /// [`Generation`](crate::generation::Generation).
    fn control(&self) -> Control;

    /// Reads the source; the state of who has read no target yet. A decoder-only model is given no source.
    fn start(&self, source: Option<Source>, tap: &mut Tap) -> State;

    /// Reads the target tokens that follow those read before.
    ///
    /// # Shapes
    /// - tokens: `[batch, new]`
    /// - out: `[batch, new, width]`, as [`logits`](Self::logits) takes them
    fn advance(&self, tokens: Tensor<2, Int>, state: &mut State, tap: &mut Tap) -> Tensor<3>;

    /// The normalisation at the end of the stack that makes logits; where none stands there, the states themselves.
    ///
    /// # Shapes
    /// - states: `[rows, width]`, the residual stream
    /// - out: `[rows, width]`, as [`logits`](Self::logits) takes them
    fn last_norm(&self, states: Tensor<2>) -> Tensor<2> {
        states
    }

    /// Final states to logits.
    ///
    /// # Shapes
    /// - states: `[rows, width]`
    /// - out: `[rows, vocabulary]`
    fn logits(&self, states: Tensor<2>) -> Tensor<2>;

    /// A parameter, a row for each output, a vector as a matrix of one row; `None` where the model has none.
    fn parameter(&self, parameter: Parameter) -> Option<Tensor<2>>;

    /// Number of weights.
    fn weights(&self) -> usize;

    /// `config.json` and `model.safetensors`, as others read them. Only families that are trained here write any.
    ///
    /// # Errors
    /// If the family's checkpoints are not written, or the weights cannot be read from their device.
    #[cfg(feature = "train")]
    fn published(
        &self,
        _precision: crate::weights::Precision,
    ) -> Result<(serde_json::Value, Vec<u8>), crate::error::ModelError> {
        let model_type = self.spec().model_type;
        Err(crate::error::ModelError::Unsupported(format!(
            "a model of the type {model_type} is read, not written"
        )))
    }

    /// States of all positions after one pass: of the target, or of the source where nothing is written.
    fn read(
        &self,
        source: Option<Source>,
        target: Option<Tensor<2, Int>>,
        tap: &mut Tap,
    ) -> Tensor<3> {
        let mut state = self.start(source, tap);
        match (target, &state.memory) {
            (Some(target), _) => self.advance(target, &mut state, tap),
            (None, Some(memory)) => memory.states.clone(),
            (None, None) => unreachable!("a model reads a source or a target"),
        }
    }
}

/// The tokens that steer a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Control {
    /// What a target starts with; `None` where the text that is continued is the start.
    pub start: Option<u32>,
    /// What fills short rows of a batch.
    pub padding: Option<u32>,
    /// What ends a text, and what may be written.
    pub rules: Rules,
}

impl Control {
    /// What a text ends with, of several the usual one; `None` where nothing ends it, or none is written.
    pub fn end(&self) -> Option<u32> {
        self.rules.end_tokens.first().copied()
    }
}

/// What an encoder reads.
#[derive(Clone, Debug)]
pub struct Source {
    /// `[batch, source]`
    pub tokens: Tensor<2, Int>,
    /// `[batch, source]`, true at padding; `None` where there is none.
    pub padding: Option<Tensor<2, Bool>>,
    /// `[batch, source]`, which of several texts each token is of, as BERT is told; `None` where all are of the first.
    pub segments: Option<Tensor<2, Int>>,
}

impl From<Tensor<2, Int>> for Source {
    fn from(tokens: Tensor<2, Int>) -> Self {
        Source {
            tokens,
            padding: None,
            segments: None,
        }
    }
}

impl Source {
    /// The mask of attention to it.
    pub fn mask(&self) -> Option<Mask> {
        let [batch, source] = self.tokens.dims();
        let padding = self.padding.clone();
        padding.map(|padding| Mask::Padding(padding.reshape([batch, 1, 1, source])))
    }
}

/// What the encoder hands to the decoder.
#[derive(Clone, Debug)]
pub struct Memory {
    /// `[batch, source, width]`
    pub states: Tensor<3>,
    /// What cross-attention may not look at.
    pub mask: Option<Mask>,
}

/// What a model has read: the source, and the target so far.
#[derive(Clone, Debug)]
pub struct State {
    /// The encoder's output; `None` of a decoder-only model.
    pub memory: Option<Memory>,
    /// Target tokens read.
    pub position: usize,
    /// What each decoder layer keeps.
    pub layers: Vec<LayerState>,
}

/// What a decoder layer keeps of the tokens it has read.
#[derive(Clone, Debug, Default)]
pub struct LayerState {
    /// Keys and values of the target.
    pub own: KeyValueCache,
    /// Keys and values of the source.
    pub cross: KeyValueCache,
    /// The state of a recurrent layer, `[batch, width]`; `None` before it has read a token.
    pub hidden: Option<Tensor<2>>,
}

impl State {
    /// That of who has read the source alone.
    pub fn new(memory: Option<Memory>, layers: usize) -> Self {
        State {
            memory,
            position: 0,
            layers: vec![LayerState::default(); layers],
        }
    }

    /// The same source, none of the target.
    pub fn restarted(&self) -> Self {
        State::new(self.memory.clone(), self.layers.len())
    }

    /// Keeps the sequences at `indices`.
    pub fn select(&mut self, indices: &Tensor<1, Int>) {
        for layer in &mut self.layers {
            layer.own.select(indices);
            layer.cross.select(indices);
            let hidden = layer.hidden.take();
            layer.hidden = hidden.map(|states| states.select(0, indices.clone()));
        }
    }

    /// The one sequence that is held, so many times.
    pub fn copies(&self, count: usize, device: &Device) -> Self {
        let mut state = self.clone();
        state.select(&Tensor::zeros([count], device));
        if let Some(memory) = &mut state.memory {
            memory.states = memory.states.clone().repeat_dim(0, count);
        }
        state
    }

    /// Number of sequences held.
    pub fn sequences(&self) -> usize {
        self.layers.first().map_or(0, |layer| match &layer.hidden {
            Some(states) => states.dims()[0],
            None => layer.own.sequences(),
        })
    }
}
