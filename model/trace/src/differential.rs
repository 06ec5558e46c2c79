//! Differential attention (Ye et al. 2024): the weights of one softmax minus a multiple of another's.

/// Returns `a₁ − λ a₂` of two rows of weights over the same keys. If both sum to 1, the result sums to `1 − λ`; a key has a
/// negative number where `a₁ < λ a₂`.
pub fn differential(first: &[f32], second: &[f32], lambda: f32) -> Vec<f32> {
    let pairs = first.iter().zip(second);
    pairs.map(|(one, other)| one - lambda * other).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;
    use crate::softmax;

    #[derive(Deserialize)]
    struct Fixture {
        first: Vec<f32>,
        second: Vec<f32>,
        lambda: f32,
        weights: Vec<f32>,
    }

    #[test]
    fn the_difference_is_that_of_pytorch() {
        let text = include_str!("../../../tests/fixtures/differential.json");
        let fixture: Fixture = serde_json::from_str(text).unwrap();
        let rows = [&fixture.first, &fixture.second].map(|scores| softmax(scores));
        let found = differential(&rows[0], &rows[1], fixture.lambda);
        assert_eq!(found.len(), fixture.weights.len());
        for (found, expected) in found.iter().zip(&fixture.weights) {
            assert!((found - expected).abs() < 1e-6, "{found}, {expected}");
        }
        assert!(found.iter().any(|weight| *weight < 0.0));
    }

    proptest! {
        #[test]
        fn the_row_sums_to_one_minus_lambda(
            first in prop::collection::vec(-4.0f32..4.0, 5),
            second in prop::collection::vec(-4.0f32..4.0, 5),
            tenths in 0u8..=10,
        ) {
            let lambda = f32::from(tenths) / 10.0;
            let weights = differential(&softmax(&first), &softmax(&second), lambda);
            let sum: f32 = weights.iter().sum();
            prop_assert!((sum - (1.0 - lambda)).abs() < 1e-5, "{sum}");
        }
    }
}
