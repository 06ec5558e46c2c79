//! Sequences with the probability of each of their tokens, and the scores that rank them.

/// A sequence, and of each token its probability after those before it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Path {
    /// The tokens, the end included where it was reached.
    pub tokens: Vec<usize>,
    /// `p(yₜ | y₍<ₜ₎)` of each.
    pub probabilities: Vec<f64>,
}

impl Path {
    /// The same with one more token.
    pub fn with(&self, token: usize, probability: f64) -> Self {
        let mut path = self.clone();
        path.tokens.push(token);
        path.probabilities.push(probability);
        path
    }

    /// The probability of the whole: the product over its tokens, 1 of none.
    pub fn probability(&self) -> f64 {
        self.probabilities.iter().product()
    }

    /// Returns the log probability of the path, `Σ ln p`.
    pub fn log_probability(&self) -> f64 {
        self.probabilities.iter().map(|p| p.ln()).sum()
    }

    /// `(1/L^α) Σ ln p`.
    pub fn score(&self, alpha: f64) -> f64 {
        length_score(self.log_probability(), self.tokens.len(), alpha)
    }
}

/// `(1/L^α) Σ ln p` of a sequence of `length` tokens, the end counted; 0 of an empty one.
pub fn length_score(log_probability: f64, length: usize, alpha: f64) -> f64 {
    log_probability / (length.max(1) as f64).powf(alpha)
}

/// The rank of each of several scores, the highest first, from 1. Those that are as high, up to rounding, share a rank,
/// and the ranks after it are left out.
pub fn ranks(scores: &[f64]) -> Vec<usize> {
    /// Scores this close are equal: sums of logarithms differ in the last digit by their order alone.
    const ALIKE: f64 = 1e-9;
    let higher = |score: f64| {
        scores
            .iter()
            .filter(|&&other| other > score + ALIKE)
            .count()
    };
    scores.iter().map(|&score| 1 + higher(score)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_score_is_the_log_probability_over_a_power_of_the_length() {
        let path = Path {
            tokens: vec![0, 2, 1, 3],
            probabilities: vec![0.5, 0.3, 0.6, 0.6],
        };
        assert!((path.probability() - 0.054).abs() < 1e-12);
        assert_eq!(path.score(0.0), path.log_probability());
        // ln 0.054 = −2.9188; 4^0.75 = 2.8284.
        assert!((path.score(0.75) + 1.03195).abs() < 1e-4);
        assert!((path.score(1.0) + 0.72969).abs() < 1e-4);
    }

    #[test]
    fn scores_that_are_alike_share_a_rank() {
        let eos_after_a = 0.5f64.ln() + 0.2f64.ln();
        assert_eq!(ranks(&[-3.0, eos_after_a, 0.1f64.ln(), -1.0]), [4, 2, 2, 1]);
        assert_eq!(ranks(&[f64::NEG_INFINITY, 0.0]), [2, 1]);
    }

    proptest! {
        #[test]
        fn the_highest_score_is_first(scores in prop::collection::vec(-50.0f64..0.0, 1..20)) {
            let ranks = ranks(&scores);
            let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            for (score, rank) in scores.iter().zip(&ranks) {
                prop_assert!((1..=scores.len()).contains(rank));
                prop_assert!((*rank == 1) == (best - score <= 1e-9));
            }
        }

        #[test]
        fn a_longer_sequence_of_the_same_probability_gains_by_alpha(
            log_probability in -50.0f64..-0.01, length in 1usize..50, alpha in 0.01f64..2.0
        ) {
            let short = length_score(log_probability, length, alpha);
            prop_assert!(length_score(log_probability, length + 1, alpha) > short);
        }
    }
}
