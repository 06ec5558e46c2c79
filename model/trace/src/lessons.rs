//! Inputs and outputs of the lectures' small computations: plain data shared by the page, the worker that computes and
//! the functions themselves.

mod by_hand;
mod embedding;
mod gradients;
mod image;
mod layers;
mod lstmn;
mod recall;

use serde::{Deserialize, Serialize};

pub use self::{
    by_hand::{HandInput, HandSteps, WorkedExample},
    embedding::{EmbeddedSentence, MOST_WORDS, Mark, ReadWord, overlap, penalty, unmarked, words},
    gradients::{
        GradientSite, GradientsBack, StackGradients, StackLayer, StackNorm, StackWeights,
        UntrainedStack,
    },
    image::{LabelledPicture, Picture, PictureFault, SeenPicture},
    layers::{Convolved, FullyConnected, Pooled, Spread, Timed, TimedPoint},
    lstmn::{NextWord, NextWords, TapeReading},
    recall::{
        RECALL_KEYS, RECALL_PAIRS, RECALL_STEPS, RECALL_VALUES, RecallRun, RecallScore, RecallTask,
        RecallWay, Recalled, StatePairs, StateRule, WrittenStates,
    },
};
use crate::Array;

/// The variance of `q·k` over many pairs of a query and a key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProductVariance {
    /// The number of pairs.
    pub pairs: usize,
    /// `Var(q·k)` of the first `d` components, for `d` = 1, 2, …
    pub unscaled: Vec<f32>,
    /// The variance `Var(q·k/√d)`, likewise.
    pub scaled: Vec<f32>,
}

/// The softmax of scores that were multiplied by a scale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Softmax {
    /// The factor: `1/√d_k` in attention, 1 without scaling.
    pub scale: f32,
    /// The weights, `softmax(scale · s)`.
    pub weights: Vec<f32>,
    /// `−Σ p log₂ p`; `log₂ n` where all weights are equal, 0 where one has everything.
    pub entropy_bits: f32,
    /// Frobenius norm of the Jacobian `∂softmax(z)/∂z` at `z = scale · s`: how much of a gradient
    /// passes backwards through the softmax.
    pub gradient_norm: f32,
}

/// A way to make scores into weights that sum to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Normalisation {
    /// The exponential `eˢ`, as in softmax.
    Exponential,
    /// The square of the score, `s²`.
    Square,
    /// `s − min s`.
    Shifted,
    /// The positive part, `max(0, s)`.
    Rectified,
}

impl Normalisation {
    /// All of them, softmax first.
    pub const ALL: [Normalisation; 4] = [
        Normalisation::Exponential,
        Normalisation::Square,
        Normalisation::Shifted,
        Normalisation::Rectified,
    ];
}

/// The weights that a normalisation gives for scores, and its behaviour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Normalised {
    /// The normalisation that was used.
    pub normalisation: Normalisation,
    /// The weights; `None` where the sum they are divided by is 0.
    pub weights: Option<Weighting>,
}

/// Weights and their properties.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weighting {
    /// One for each score; they sum to one.
    pub weights: Vec<f32>,
    /// True if a larger score never has the smaller weight.
    pub keeps_order: bool,
    /// The number of weights that are exactly 0.
    pub zeros: usize,
    /// The largest weight over the second largest; `None` where that is 0.
    pub lead: Option<f32>,
    /// The largest change of a weight when 1 is added to every score; `None` where there are no
    /// weights then.
    pub shift_change: Option<f32>,
    /// Frobenius norm of the Jacobian of the weights by the scores.
    pub gradient_norm: f32,
}

/// A function that scores a key `k` for a query `q`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScoreFunction {
    /// `vᵀ tanh(Wk + Uq)` (Bahdanau et al. 2014).
    Additive,
    /// `kᵀq` (Luong et al. 2015).
    Dot,
    /// `kᵀq/√d` ("Attention Is All You Need").
    ScaledDot,
    /// `kᵀWq` (Luong et al. 2015).
    Bilinear,
    /// Key and query concatenated, through a perceptron with one hidden layer and one output:
    /// `vᵀ tanh([W_k W_q][k; q])`.
    Perceptron,
}

impl ScoreFunction {
    /// All of them, in the lecture's order.
    pub const ALL: [ScoreFunction; 5] = [
        ScoreFunction::Additive,
        ScoreFunction::Dot,
        ScoreFunction::ScaledDot,
        ScoreFunction::Bilinear,
        ScoreFunction::Perceptron,
    ];
}

/// The weights that score functions learn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScoreParameters {
    /// The weights given here.
    Given(Box<ScoreWeights>),
    /// Drawn as an untrained model's are.
    Random {
        /// Hidden units of the additive function and of the perceptron.
        hidden: usize,
        /// The seed of the random numbers.
        seed: u64,
    },
}

/// The weights themselves, for queries and keys of width `d` and `h` hidden units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoreWeights {
    /// `W` of the additive function, `[h, d]`.
    pub additive_key: Array,
    /// `U` of the additive function, `[h, d]`.
    pub additive_query: Array,
    /// `v` of the additive function, `[h]`.
    pub additive_out: Vec<f32>,
    /// `W` of the bilinear function, `[d, d]`.
    pub bilinear: Array,
    /// `[W_k W_q]` of the perceptron, `[h, 2d]`.
    pub hidden: Array,
    /// `v` of the perceptron, `[h]`.
    pub out: Vec<f32>,
}

/// One query, and the keys and values that it reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// The query vector, `[d]`.
    pub query: Vec<f32>,
    /// The keys, `[n, d]`.
    pub keys: Array,
    /// The values, `[n, d_v]`.
    pub values: Array,
}

/// The result of a score function on a memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attended {
    /// The score function that was used.
    pub function: ScoreFunction,
    /// The score of each key.
    pub scores: Vec<f32>,
    /// The hidden units, `tanh(…)`, for each key, `[n, h]`, where the function has any.
    pub hidden: Option<Array>,
    /// The softmax of the scores, `p(z | X, q)`.
    pub weights: Vec<f32>,
    /// The vectors read from the values by these weights.
    pub read: ReadOut,
}

/// The vectors read from values by weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadOut {
    /// Soft attention: the expectation `E_{z∼p}[v_z] = Σ p_n v_n`.
    pub soft: Vec<f32>,
    /// Hard attention by the largest weight: whose value it takes.
    pub largest: usize,
    /// Hard attention by sampling: which values were taken, draw by draw.
    pub draws: Vec<usize>,
    /// The mean of the values that were drawn; empty where nothing was.
    pub mean: Vec<f32>,
}

/// A way to normalise activations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NormKind {
    /// Over the features of one position (Ba et al. 2016).
    Layer,
    /// Over the features of one position, without the mean (Zhang and Sennrich 2019).
    Rms,
    /// Over all positions of all sequences of the batch, each feature apart (Ioffe and Szegedy
    /// 2015), in training.
    Batch,
}

/// Activations before any weight and bias are applied to them again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Normed {
    /// The kind of the norm.
    pub kind: NormKind,
    /// The normalised activations, `[b, n, d]`.
    pub activations: Array,
    /// The value subtracted from each group: `[b · n]` positions, or `[d]` features for [`NormKind::Batch`]; zeros for
    /// [`NormKind::Rms`].
    pub centre: Vec<f32>,
    /// The divisor of each group, without ε.
    pub spread: Vec<f32>,
}

/// The weights of a position-wise feed-forward network, `max(0, xW₁ + b₁)W₂ + b₂`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeedForwardWeights {
    /// The first matrix `W₁`, `[d, f]`.
    pub w1: Array,
    /// The first bias `b₁`, `[f]`.
    pub b1: Vec<f32>,
    /// The second matrix `W₂`, `[f, d]`.
    pub w2: Array,
    /// The second bias `b₂`, `[d]`.
    pub b2: Vec<f32>,
}

/// A feed-forward network's output, computed in two ways.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FedForward {
    /// After the first matrix and ReLU, `[b·n, f]`.
    pub hidden: Array,
    /// By two matrices on `[b·n, d]`, as `[b, n, d]`.
    pub by_matrices: Array,
    /// By two convolutions of width 1 along the positions, `[b, n, d]`.
    pub by_convolution: Array,
}
