//! What is asked for the gradient of an output with respect to attention weights, and the answer.

use serde::{Deserialize, Serialize};

use crate::{Array, AttentionLayer, Edit};

/// What the gradient is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Objective {
    /// The token's logit.
    #[default]
    Logit,
    /// The logarithm of its probability: the other words' logits count too.
    LogProbability,
}

/// Of which output, with respect to which weights, in a pass over which tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GradientQuestion {
    /// What the encoder reads; empty where there is none.
    pub source: Vec<u32>,
    /// What the decoder reads; empty where there is none.
    pub target: Vec<u32>,
    /// The row of the logits, from 0.
    pub row: usize,
    /// The token.
    pub token: u32,
    /// Its logit, or `log p`.
    pub of: Objective,
    /// The attention whose weights are meant.
    pub attention: AttentionLayer,
    /// What is changed in the pass. An order of tokens is in the tokens already.
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
