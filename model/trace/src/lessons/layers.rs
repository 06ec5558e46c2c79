//! Layers that are timed, and ways to mix the vectors of a sequence that are set beside attention.

use serde::{Deserialize, Serialize};

use crate::{Array, layers::SequenceLayer};

/// A layer of given sizes, to be timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimedPoint {
    /// Which.
    pub layer: SequenceLayer,
    /// Tokens, `n`.
    pub tokens: usize,
    /// Width of a token's vector, `d`.
    pub width: usize,
    /// Positions that a convolution's kernel covers, `k`.
    pub kernel: usize,
}

/// What was measured at a point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timed {
    /// The point.
    pub point: TimedPoint,
    /// One pass of the layer.
    pub whole: Spread,
    /// Of self-attention, the part with `n²·d`: scores, softmax and the weighted sum, without the projections.
    pub mixing: Option<Spread>,
}

/// Times of the same thing, measured several times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The median, in milliseconds.
    pub median_ms: f64,
    /// The shortest.
    pub least_ms: f64,
    /// The longest.
    pub most_ms: f64,
    /// How many times were measured.
    pub repeats: usize,
    /// How many passes one of them is the mean of, so that the clock can tell it.
    pub passes: usize,
}

/// A fully connected layer over positions, `Y = WX`, with weights that a seed decides and that no input changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FullyConnected {
    /// `W`, `[N, N]`: how much position `j` gives position `i`.
    pub weights: Array,
    /// `Y`, `[N, d]`.
    pub mixed: Array,
}

/// A convolution over positions with one kernel for all features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Convolved {
    /// The kernel as a matrix over positions, `[n, n]`: the same numbers in every row, at the same offsets.
    pub matrix: Array,
    /// That matrix times the values, `[n, d]`.
    pub by_matrix: Array,
    /// The same by a convolution, `[n, d]`.
    pub by_convolution: Array,
}

/// Values read in five ways, each `[d]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pooled {
    /// Mean pooling.
    pub mean: Vec<f32>,
    /// Attention with equal scores.
    pub even: Vec<f32>,
    /// `softmax(β·s)`, `[n]`.
    pub weights: Vec<f32>,
    /// Attention with these weights.
    pub attended: Vec<f32>,
    /// Attention with weights of its own for each feature, which has its own values as scores: `softmax(β·v)`.
    pub by_feature: Vec<f32>,
    /// Max pooling.
    pub max: Vec<f32>,
}
