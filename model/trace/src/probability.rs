//! Softmax of a row of logits, and the logarithm of one of its probabilities.

/// Returns the softmax of logits: positive numbers that sum to 1. A logit of −∞ gets 0.
pub fn softmax(logits: &[f32]) -> Vec<f32> {
    let most = largest(logits);
    let powers: Vec<f32> = logits.iter().map(|logit| (logit - most).exp()).collect();
    let sum: f32 = powers.iter().sum();
    powers.into_iter().map(|power| power / sum).collect()
}

/// Returns `ln p` of the entry at `index` in the softmax of logits; `None` if there is no such entry.
pub fn log_probability(logits: &[f32], index: usize) -> Option<f32> {
    let most = largest(logits);
    let sum: f32 = logits.iter().map(|logit| (logit - most).exp()).sum();
    Some(logits.get(index)? - most - sum.ln())
}

fn largest(logits: &[f32]) -> f32 {
    logits.iter().copied().fold(f32::NEG_INFINITY, f32::max)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn weights_of_three_logits_are_those_of_the_definition() {
        let logits = [0.0, 2.0f32.ln(), f32::NEG_INFINITY];
        let found = softmax(&logits);
        assert!((found[0] - 1.0 / 3.0).abs() < 1e-6 && (found[1] - 2.0 / 3.0).abs() < 1e-6);
        assert_eq!(found[2], 0.0);
        assert_eq!(log_probability(&logits, 3), None);
        assert!(softmax(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn logarithms_are_those_of_the_probabilities(
            logits in prop::collection::vec(-20f32..20.0, 1..40),
            at in any::<prop::sample::Index>(),
        ) {
            let at = at.index(logits.len());
            let probabilities = softmax(&logits);
            prop_assert!((probabilities.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            let log = log_probability(&logits, at).unwrap();
            prop_assert!((log.exp() - probabilities[at]).abs() < 1e-5);
        }
    }
}
