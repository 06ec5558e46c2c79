//! The interface of every model to the code that runs it.

use std::fmt::Debug;

use attention_trace::{ModelSpec, Parameter};
use burn::prelude::*;

use crate::attention::{KeyValueCache, Mask};
use crate::decoding::Rules;
use crate::picture::PictureModel;
use crate::tap::Tap;
use crate::weights::FileNames;

/// A model of sequences: it reads a source, if it has an encoder, then target tokens piece by piece.
pub trait SequenceModel: Debug + Send + Sync {
    /// Returns the specification of the model.
    fn spec(&self) -> ModelSpec;

    /// Returns the tokens that control generation, according to the model's configuration; further settings from the
    /// files of a checkpoint are in [`Generation`](crate::generation::Generation).
    fn control(&self) -> Control;

    /// Reads the source and returns the state before any target. The source is `None` for a decoder-only model.
    fn start(&self, source: Option<Source>, tap: &mut Tap) -> State;

    /// Reads the target tokens that follow those read before.
    ///
    /// # Shapes
    /// - tokens: `[batch, new]`
    /// - out: `[batch, new, width]`, as [`logits`](Self::logits) takes them
    fn advance(&self, tokens: Tensor<2, Int>, state: &mut State, tap: &mut Tap) -> Tensor<3>;

    /// Applies the normalisation at the end of the stack that gives the logits; without one, returns the states
    /// themselves.
    ///
    /// # Shapes
    /// - states: `[rows, width]`, the residual stream
    /// - out: `[rows, width]`, as [`logits`](Self::logits) takes them
    fn last_norm(&self, states: Tensor<2>) -> Tensor<2> {
        states
    }

    /// Computes logits from final states. A model that generates nothing makes none, and must not be asked for them.
    ///
    /// # Shapes
    /// - states: `[rows, width]`
    /// - out: `[rows, vocabulary]`
    fn logits(&self, states: Tensor<2>) -> Tensor<2>;

    /// Returns a parameter with a row for each output, a vector as a matrix of one row; `None` if the model has none.
    fn parameter(&self, parameter: Parameter) -> Option<Tensor<2>>;

    /// Returns the model as one that reads pictures; `None` if it reads texts.
    fn pictures(&self) -> Option<&dyn PictureModel> {
        None
    }

    /// Returns the number of weights.
    fn weights(&self) -> usize;

    /// Returns the names under which files have the model's parameters.
    fn file_names(&self) -> FileNames;

    /// Returns notes on parts of the checkpoint that the model does not use.
    fn notes(&self) -> Vec<String> {
        vec![]
    }

    /// Returns `config.json` and `model.safetensors` in the published format. Only families that are trained here can
    /// be written.
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

    /// Returns the states of all positions after one pass: of the target, or of the source if the model writes nothing.
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

/// The tokens that control a model's generation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Control {
    /// The token that a target starts with; `None` if the text that is continued is the start.
    pub start: Option<u32>,
    /// The token that fills short rows of a batch.
    pub padding: Option<u32>,
    /// True if source and target begin with the token of their language, as in M2M-100 and NLLB.
    pub names_languages: bool,
    /// The tokens that end a text, and those that may be written.
    pub rules: Rules,
}

impl Control {
    /// Returns the token that ends a text, the usual one if there are several; `None` if nothing ends a text, or the
    /// model writes none.
    pub fn end(&self) -> Option<u32> {
        self.rules.end_tokens.first().copied()
    }
}

/// The tokens that an encoder reads.
#[derive(Clone, Debug)]
pub struct Source {
    /// The numbers of the tokens, `[batch, source]`.
    pub tokens: Tensor<2, Int>,
    /// The mask of padding, `[batch, source]`, true at padding; `None` if there is none.
    pub padding: Option<Tensor<2, Bool>>,
    /// The segment of each token, `[batch, source]`, as BERT reads it; `None` if all tokens are in the first.
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
    /// Returns the mask of attention to the source.
    pub fn mask(&self) -> Option<Mask> {
        let [batch, source] = self.tokens.dims();
        let padding = self.padding.clone();
        padding.map(|padding| Mask::Padding(padding.reshape([batch, 1, 1, source])))
    }
}

/// The output of the encoder, which the decoder attends to.
#[derive(Clone, Debug)]
pub struct Memory {
    /// The encoder's final states, `[batch, source, width]`.
    pub states: Tensor<3>,
    /// The keys that cross-attention must not see.
    pub mask: Option<Mask>,
}

/// The state of a model that has read the source, and the target so far.
#[derive(Clone, Debug)]
pub struct State {
    /// The encoder's output; `None` for a decoder-only model.
    pub memory: Option<Memory>,
    /// The number of target tokens read.
    pub position: usize,
    /// Those tokens, `[sequences, position]`, where a longer text may ask a model to read them once more.
    pub read: Option<Tensor<2, Int>>,
    /// The states of the decoder layers.
    pub layers: Vec<LayerState>,
}

/// The data that a decoder layer keeps about the tokens it has read.
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
    /// Creates the state after reading the source alone.
    pub fn new(memory: Option<Memory>, layers: usize) -> Self {
        State {
            memory,
            position: 0,
            read: None,
            layers: vec![LayerState::default(); layers],
        }
    }

    /// Returns the state with the same source and an empty target.
    pub fn restarted(&self) -> Self {
        State::new(self.memory.clone(), self.layers.len())
    }

    /// Keeps the sequences at `indices`.
    pub fn select(&mut self, indices: &Tensor<1, Int>) {
        let read = self.read.take();
        self.read = read.map(|tokens| tokens.select(0, indices.clone()));
        for layer in &mut self.layers {
            layer.own.select(indices);
            layer.cross.select(indices);
            let hidden = layer.hidden.take();
            layer.hidden = hidden.map(|states| states.select(0, indices.clone()));
        }
    }

    /// Returns `count` copies of the only sequence.
    pub fn copies(&self, count: usize, device: &Device) -> Self {
        let mut state = self.clone();
        state.select(&Tensor::zeros([count], device));
        if let Some(memory) = &mut state.memory {
            memory.states = memory.states.clone().repeat_dim(0, count);
        }
        state
    }

    /// Returns the number of sequences held.
    pub fn sequences(&self) -> usize {
        self.layers.first().map_or(0, |layer| match &layer.hidden {
            Some(states) => states.dims()[0],
            None => layer.own.sequences(),
        })
    }
}
