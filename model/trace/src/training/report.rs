//! Reports of a training run.

use serde::{Deserialize, Serialize};

use crate::{Array, AttentionLayer, Token};

/// A step of the optimizer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepReport {
    /// The number of the step, from 1.
    pub step: usize,
    /// Loss of its batch before the step, in nats a token.
    pub loss: f32,
    /// Share of the batch's tokens that were the most probable.
    pub accuracy: f32,
    /// The learning rate of the step.
    pub learning_rate: f64,
}

/// The scores of a model on examples that it does not learn from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// The number of steps made before.
    pub step: usize,
    /// The number of examples.
    pub examples: usize,
    /// True if the examples were held out; if the visitor's own are too few for that, they are those learned from.
    pub held_out: bool,
    /// Mean loss, in nats a token.
    pub loss: f32,
    /// Share of tokens that are the most probable after the right ones before them.
    pub token_accuracy: f32,
    /// The share of examples with every token the most probable.
    pub sequence_accuracy: f32,
}

/// The model's prediction at one place of a sequence, and the right token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// The place: row of the decoder's attention maps, from 0.
    pub row: usize,
    /// The token that is to be predicted.
    pub expected: Token,
    /// The probability of that token.
    pub probability: f32,
    /// The most probable token.
    pub best: Token,
}

/// One example as the model sees it at one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The tokens that the encoder reads, end of the text included; empty for a decoder-only model.
    pub source: Vec<Token>,
    /// The tokens that the decoder reads, start token included.
    pub target: Vec<Token>,
    /// The predictions at the places that have a token to predict.
    pub predictions: Vec<Prediction>,
    /// Loss of the example, in nats a token.
    pub loss: f32,
    /// Every layer's attention, in the order of computation.
    pub attention: Vec<AttentionRecord>,
}

/// A layer's attention and the gradient of the loss with respect to it.
#[derive(Clone, Debug, PartialEq)]
pub struct AttentionRecord {
    /// The layer of the attention.
    pub layer: AttentionLayer,
    /// The weights, `[heads, n, m]`.
    pub weights: Array,
    /// The gradient of the example's loss with respect to them, of the same shape: where it is negative, a greater
    /// weight makes the loss smaller.
    pub gradient: Array,
}

/// A part of a device's first step that is compared with the CPU's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckedPart {
    /// The loss of a batch.
    Loss,
    /// The gradients of the loss with respect to the weights.
    Gradients,
    /// The steps that the optimizer makes of them.
    Steps,
    /// The loss on the examples that are held out.
    Examination,
}
