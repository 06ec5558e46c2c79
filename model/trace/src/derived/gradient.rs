//! The question for the gradient of an output with respect to attention weights, and the answer.

use serde::{Deserialize, Serialize};

use crate::{Array, AttentionLayer, Edit};

/// The quantity whose gradient is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Objective {
    /// The logit of the token.
    #[default]
    Logit,
    /// The logarithm of its probability: the other words' logits count too.
    LogProbability,
}

/// The output, the weights and the tokens of the pass that a gradient is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GradientQuestion {
    /// The tokens that the encoder reads; empty if there is no encoder.
    pub source: Vec<u32>,
    /// The tokens that the decoder reads; empty if there is no decoder.
    pub target: Vec<u32>,
    /// The row of the logits, from 0.
    pub row: usize,
    /// The id of the token.
    pub token: u32,
    /// The quantity: the token's logit, or `log p`.
    pub of: Objective,
    /// The attention whose weights are meant.
    pub attention: AttentionLayer,
    /// The changes made in the pass. An order of tokens is already applied to the tokens.
    #[serde(default)]
    pub edits: Vec<Edit>,
}

/// The answer to a [`GradientQuestion`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GradientAnswer {
    /// The logit, or `log p`.
    pub value: f32,
    /// The gradient times the weights, `[h, n, m]`.
    pub product: Array,
}
