//! Recall of pairs: a reader is shown pairs of a key and a value, and is asked for the value of a key. The ways of reading
//! keep either all keys and values or one matrix of a fixed size.

use serde::{Deserialize, Serialize};

use crate::Array;

/// The number of different keys of the task.
pub const RECALL_KEYS: usize = 64;

/// The number of different values of the task.
pub const RECALL_VALUES: usize = 64;

/// The numbers of pairs at which a model is measured; it is trained on up to the last.
pub const RECALL_PAIRS: [usize; 9] = [1, 2, 4, 6, 8, 12, 16, 24, 32];

/// The number of steps of a training run.
pub const RECALL_STEPS: usize = 600;

/// A way of reading a value for a query from pairs of a key and a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecallWay {
    /// Attention over all keys: `softmax(q Kᵀ / √d) V`.
    Softmax,
    /// A matrix that was written by a rule: `φ(q) S`.
    State(StateRule),
}

impl RecallWay {
    /// All ways, softmax first.
    pub const ALL: [RecallWay; 4] = [
        RecallWay::Softmax,
        RecallWay::State(StateRule::Linear),
        RecallWay::State(StateRule::Positive),
        RecallWay::State(StateRule::Delta),
    ];

    /// Returns the numbers that are kept of so many pairs of vectors of a width.
    pub fn kept_numbers(self, pairs: usize, width: usize) -> usize {
        match self {
            RecallWay::Softmax => 2 * pairs * width,
            RecallWay::State(StateRule::Linear | StateRule::Delta) => width * width,
            // The sum of the keys is kept too, to divide by.
            RecallWay::State(StateRule::Positive) => width * width + width,
        }
    }
}

/// A rule by which a pair changes the matrix `S`. Vectors are rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StateRule {
    /// Linear attention without a feature map: `S ← S + kᵀ v`, read by `q S`.
    Linear,
    /// Linear attention with `φ(x) = elu(x) + 1` (Katharopoulos et al. 2020): `S ← S + φ(k)ᵀ v`, read by
    /// `φ(q) S / (φ(q) · Σ φ(k))`.
    Positive,
    /// The delta rule (Schlag et al. 2021; Yang et al. 2024): `S ← S + β kᵀ (v − k S)`, read by `q S`, with keys and
    /// queries of length 1.
    Delta,
}

/// The pairs of an example.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum RecallTask {
    /// Every key is shown once.
    #[default]
    Once,
    /// Every key is shown twice, in a random order; the value that was shown last is asked for.
    Again,
}

/// The settings of a model that learns to recall. The same settings make the same run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecallRun {
    /// The way in which it reads.
    pub way: RecallWay,
    /// The pairs that it is shown.
    pub task: RecallTask,
    /// The width `d` of queries, keys and values.
    pub width: usize,
    /// The seed of weights and examples.
    pub seed: u64,
}

/// A model after some steps of training, measured on pairs that were drawn anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recalled {
    /// The settings of the model.
    pub run: RecallRun,
    /// The number of steps.
    pub step: usize,
    /// The loss of the last step in nats.
    pub loss: f32,
    /// The time that the steps took, in milliseconds, without the measurements.
    pub milliseconds: f64,
    /// The measurements, one for each of [`RECALL_PAIRS`].
    pub scores: Vec<RecallScore>,
}

/// The results for one number of pairs, over the keys of all pairs of many examples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecallScore {
    /// The number of pairs that were shown.
    pub pairs: usize,
    /// The share of queries whose value was named.
    pub accuracy: f32,
    /// The mean probability of the right value.
    pub probability: f32,
}

/// Pairs that are written into a matrix one after the other, and a query.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StatePairs {
    /// The rule of writing.
    pub rule: StateRule,
    /// The keys, `[n, d]`.
    pub keys: Array,
    /// The values, `[n, e]`.
    pub values: Array,
    /// `β` of each pair, `[n]`; only the delta rule has it.
    pub strengths: Vec<f32>,
    /// The query that reads, `[d]`.
    pub query: Vec<f32>,
}

/// The matrix after each pair, and what a query reads from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WrittenStates {
    /// `S` after each pair, `[n, d, e]`.
    pub states: Array,
    /// The value that the query reads after each pair, `[n, e]`.
    pub reads: Array,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_values_grow_with_the_pairs_and_a_state_does_not() {
        let kept = |way: RecallWay| [1, 8, 32].map(|pairs| way.kept_numbers(pairs, 8));
        assert_eq!(kept(RecallWay::Softmax), [16, 128, 512]);
        assert_eq!(kept(RecallWay::State(StateRule::Linear)), [64; 3]);
        assert_eq!(kept(RecallWay::State(StateRule::Positive)), [72; 3]);
        assert_eq!(kept(RecallWay::State(StateRule::Delta)), [64; 3]);
    }
}
