//! A sentence read by a long short-term memory-network ([Cheng et al. 2016](https://arxiv.org/abs/1601.06733)): attention
//! over the states of the words before, inside the recurrence.

use serde::{Deserialize, Serialize};

use super::ReadWord;
use crate::Array;

/// A possible next word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NextWord {
    /// The word as the vocabulary has it.
    pub text: String,
    /// The probability of the word.
    pub probability: f32,
}

/// The model's prediction after a word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NextWords {
    /// The words of the highest probability, in descending order.
    pub likeliest: Vec<NextWord>,
    /// The probability of the word that follows in the sentence; `None` after the last word.
    pub followed: Option<f32>,
}

/// The model's reading of a sentence, a step for each word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TapeReading {
    /// The words: first the mark of the sentence's beginning, then those of the sentence.
    pub words: Vec<ReadWord>,
    /// `s`, `[steps, steps]`: the weights of the words read before. A row sums to one, the first is zero, and so is
    /// what is not before.
    pub weights: Array,
    /// The hidden tape, `[steps, width]`: the hidden state after each word.
    pub hidden: Array,
    /// The memory tape, `[steps, width]`: the memory cell after each word.
    pub memory: Array,
    /// The prediction after each word.
    pub next: Vec<NextWords>,
}

impl TapeReading {
    /// The cosine between the summary `h̃` that a step goes on from, the weighted sum of the hidden tape, and the state
    /// of the word before, which an LSTM goes on from. `None` for the first word.
    pub fn cosine_with_last(&self, step: usize) -> Option<f32> {
        let last = self.hidden.row(&[step.checked_sub(1)?])?;
        let weights = self.weights.row(&[step])?;
        let mut summary = vec![0.0; last.len()];
        for (before, weight) in weights.iter().enumerate().take(step) {
            for (sum, value) in summary.iter_mut().zip(self.hidden.row(&[before])?) {
                *sum += weight * value;
            }
        }
        let product =
            |one: &[f32], other: &[f32]| -> f32 { one.iter().zip(other).map(|(a, b)| a * b).sum() };
        let lengths = product(&summary, &summary).sqrt() * product(last, last).sqrt();
        (lengths > 0.0).then(|| product(&summary, last) / lengths)
    }

    /// The word before `step` with the largest weight, and that weight.
    pub fn strongest(&self, step: usize) -> Option<(usize, f32)> {
        let before = self.weights.row(&[step])?.iter().copied().take(step);
        before
            .enumerate()
            .max_by(|one, other| one.1.total_cmp(&other.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading() -> TapeReading {
        let array = |data: &[f32], width: usize| Array {
            shape: vec![3, width],
            data: data.to_vec(),
        };
        TapeReading {
            words: vec![],
            weights: array(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.75, 0.25, 0.0], 3),
            hidden: array(&[1.0, 0.0, 0.0, 1.0, 0.0, 0.0], 2),
            memory: array(&[0.0; 6], 2),
            next: vec![],
        }
    }

    #[test]
    fn the_summary_is_compared_with_the_state_before() {
        let reading = reading();
        assert_eq!(reading.cosine_with_last(0), None);
        assert_eq!(reading.cosine_with_last(1), Some(1.0));
        let expected = 0.25 / (0.75_f32 * 0.75 + 0.25 * 0.25).sqrt();
        assert!((reading.cosine_with_last(2).unwrap() - expected).abs() < 1e-6);
    }

    #[test]
    fn only_words_before_are_strongest() {
        let reading = reading();
        assert_eq!(reading.strongest(0), None);
        assert_eq!(reading.strongest(1), Some((0, 1.0)));
        assert_eq!(reading.strongest(2), Some((0, 0.75)));
    }
}
