//! Layers that are timed, and ways to mix the vectors of a sequence that are set beside attention.

use serde::{Deserialize, Serialize};

use crate::{Array, layers::SequenceLayer};

/// A layer of given sizes, to be timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimedPoint {
    /// The kind of the layer.
    pub layer: SequenceLayer,
    /// The number of tokens, `n`.
    pub tokens: usize,
    /// Width of a token's vector, `d`.
    pub width: usize,
    /// Positions that a convolution's kernel covers, `k`.
    pub kernel: usize,
}

/// The times measured at a point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timed {
    /// The point that was measured.
    pub point: TimedPoint,
    /// One pass of the layer.
    pub whole: Spread,
    /// The part of self-attention with `n²·d`: scores, softmax and the weighted sum, without the projections.
    pub mixing: Option<Spread>,
}

/// Times of the same thing, measured several times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The median, in milliseconds.
    pub median_ms: f64,
    /// The shortest time, in milliseconds.
    pub least_ms: f64,
    /// The longest time, in milliseconds.
    pub most_ms: f64,
    /// The number of measured times.
    pub repeats: usize,
    /// The number of passes that each time is the mean of, so that the clock can resolve it.
    pub passes: usize,
}

/// A fully connected layer over positions, `Y = WX`, with weights that a seed decides and that no input changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FullyConnected {
    /// `W`, `[N, N]`: how much position `j` gives position `i`.
    pub weights: Array,
    /// The mixed tokens `Y`, `[N, d]`.
    pub mixed: Array,
}

/// A convolution over positions with one kernel for all features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Convolved {
    /// The kernel as a matrix over positions, `[n, n]`: the same numbers in every row, at the same offsets.
    pub matrix: Array,
    /// The product of that matrix and the values, `[n, d]`.
    pub by_matrix: Array,
    /// The same by a convolution, `[n, d]`.
    pub by_convolution: Array,
}

/// Values read in five ways, each `[d]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pooled {
    /// The result of mean pooling.
    pub mean: Vec<f32>,
    /// Attention with equal scores.
    pub even: Vec<f32>,
    /// The weights `softmax(β·s)`, `[n]`.
    pub weights: Vec<f32>,
    /// Attention with these weights.
    pub attended: Vec<f32>,
    /// Attention with weights of its own for each feature, which has its own values as scores: `softmax(β·v)`.
    pub by_feature: Vec<f32>,
    /// The result of max pooling.
    pub max: Vec<f32>,
}
