//! The difference of the logits at each position.

use serde::{Deserialize, Serialize};

use crate::Array;

/// The difference of the logits of two passes after one position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogitDifference {
    /// The position, from 0.
    pub position: usize,
    /// The largest absolute difference of a logit.
    pub largest: f32,
    /// The id of the first token with that difference.
    pub token: u32,
    /// The Kullback–Leibler divergence `Σ p ln(p / q)` in nats, with the probabilities `p` of the first pass and `q` of the
    /// second.
    pub divergence: f32,
}

/// Returns the differences of the logits, each `[positions, vocabulary]`, position by position. `None` if they have other
/// shapes than each other, or no token.
pub fn logit_differences(logits: [&Array; 2]) -> Option<Vec<LogitDifference>> {
    let [one, other] = logits;
    let &[_, vocabulary] = one.shape.as_slice() else {
        return None;
    };
    if one.shape != other.shape || vocabulary == 0 {
        return None;
    }
    let rows = one
        .data
        .chunks(vocabulary)
        .zip(other.data.chunks(vocabulary));
    let of_row = |(position, (one, other)): (usize, (&[f32], &[f32]))| {
        let mut largest = (0, 0.0);
        for (token, (&one, &other)) in one.iter().zip(other).enumerate() {
            // Logits that are infinite in both passes, as those of tokens that are never written, do not differ.
            let between = if one == other {
                0.0
            } else {
                (one - other).abs()
            };
            if between > largest.1 {
                largest = (token as u32, between);
            }
        }
        LogitDifference {
            position,
            largest: largest.1,
            token: largest.0,
            divergence: divergence(one, other),
        }
    };
    Some(rows.enumerate().map(of_row).collect())
}

/// The Kullback–Leibler divergence in nats of the distributions with these logits.
fn divergence(one: &[f32], other: &[f32]) -> f32 {
    let (of_one, of_other) = (log_sum(one), log_sum(other));
    let terms = one.iter().zip(other).map(|(&one, &other)| {
        let log_p = f64::from(one) - of_one;
        match log_p.exp() {
            0.0 => 0.0,
            p => p * (log_p - (f64::from(other) - of_other)),
        }
    });
    // Rounding may leave a little less than nothing.
    terms.sum::<f64>().max(0.0) as f32
}

/// `ln Σ exp` of the logits.
pub(super) fn log_sum(logits: &[f32]) -> f64 {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let largest = f64::from(largest);
    let sum: f64 = logits
        .iter()
        .map(|&logit| (f64::from(logit) - largest).exp())
        .sum();
    largest + sum.ln()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn logits(vocabulary: usize, data: &[f32]) -> Array {
        Array {
            shape: vec![data.len() / vocabulary, vocabulary],
            data: data.to_vec(),
        }
    }

    #[test]
    fn each_position_has_its_largest_difference_and_divergence() {
        // Probabilities ½, ½ and ¼, ¾; then the same ones, of logits that are shifted.
        let one = logits(2, &[0.0, 0.0, 1.0, 2.0]);
        let other = logits(2, &[0.0, 3.0_f32.ln(), 4.0, 5.0]);
        let found = logit_differences([&one, &other]).unwrap();
        assert_eq!((found[0].position, found[0].token), (0, 1));
        assert!((found[0].largest - 3.0_f32.ln()).abs() < 1e-6);
        let expected = 0.5 * 2.0_f32.ln() + 0.5 * (2.0_f32 / 3.0).ln();
        assert!((found[0].divergence - expected).abs() < 1e-6);
        assert_eq!((found[1].largest, found[1].token), (3.0, 0));
        assert!(found[1].divergence < 1e-6);
    }

    #[test]
    fn tokens_that_are_never_written_do_not_differ() {
        let one = logits(3, &[0.0, 1.0, f32::NEG_INFINITY]);
        let found = logit_differences([&one, &one]).unwrap();
        assert_eq!((found[0].largest, found[0].divergence), (0.0, 0.0));
    }

    #[test]
    fn logits_of_other_tokens_have_no_difference() {
        let one = logits(2, &[0.0, 1.0]);
        let other = logits(1, &[0.0, 1.0]);
        assert_eq!(logit_differences([&one, &other]), None);
        let none = Array {
            shape: vec![1, 0],
            data: vec![],
        };
        assert_eq!(logit_differences([&none, &none]), None);
    }

    proptest! {
        #[test]
        fn a_divergence_is_no_less_than_zero_and_ignores_shifts(
            pairs in proptest::collection::vec((-20.0f32..20.0, -20.0f32..20.0), 1..40),
            shift in -5.0f32..5.0,
        ) {
            let (one, other): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let shifted: Vec<f32> = other.iter().map(|logit| logit + shift).collect();
            let found = divergence(&one, &other);
            prop_assert!(found >= 0.0);
            prop_assert!((found - divergence(&one, &shifted)).abs() < 1e-4);
            prop_assert_eq!(divergence(&one, &one), 0.0);
        }
    }
}
