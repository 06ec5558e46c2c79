//! A sliding window over the keys, with the first tokens kept, and what such layers see together.

use serde::{Deserialize, Serialize};

/// The keys that are left to a query: those near its own, and the first ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// The number of keys up to the query's own, and from it on in a stack that sees later keys; at least 1.
    pub keys: usize,
    /// The number of tokens at the beginning that every query keeps.
    #[serde(default)]
    pub first: usize,
}

impl Window {
    /// True if a query may look at a key.
    pub fn sees(self, query: usize, key: usize) -> bool {
        key < self.first || query.abs_diff(key) < self.keys
    }

    /// Returns, for each of the first `tokens` tokens, true if its vector can reach the one of the last token within `layers`
    /// causal layers: each layer carries a vector from a key to a query that sees it.
    pub fn reaches_last(self, layers: usize, tokens: usize) -> Vec<bool> {
        let last = tokens.checked_sub(1);
        let mut reached: Vec<bool> = (0..tokens).map(|token| Some(token) == last).collect();
        for _ in 0..layers {
            let queries: Vec<usize> = (0..tokens).filter(|&token| reached[token]).collect();
            for (key, is_reached) in reached.iter_mut().enumerate() {
                *is_reached |= queries
                    .iter()
                    .any(|&query| key <= query && self.sees(query, key));
            }
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_window_sees_near_keys_and_the_first() {
        let window = Window { keys: 2, first: 1 };
        let seen = |query| {
            (0..6)
                .filter(|&key| window.sees(query, key))
                .collect::<Vec<_>>()
        };
        assert_eq!(seen(4), [0, 3, 4, 5]);
        assert_eq!(seen(0), [0, 1]);
    }

    #[test]
    fn layers_reach_further_than_one() {
        let window = Window { keys: 3, first: 0 };
        let reached = |layers| {
            window
                .reaches_last(layers, 8)
                .iter()
                .filter(|it| **it)
                .count()
        };
        assert_eq!([0, 1, 2, 3, 4].map(reached), [1, 3, 5, 7, 8]);
        assert!(window.reaches_last(2, 0).is_empty());
        let kept = Window { first: 1, ..window };
        assert_eq!(
            kept.reaches_last(1, 6),
            [true, false, false, true, true, true]
        );
    }

    proptest! {
        #[test]
        fn without_first_tokens_layers_reach_as_far_as_the_formula(
            keys in 1usize..6,
            layers in 0usize..6,
            tokens in 1usize..30,
        ) {
            let window = Window { keys, first: 0 };
            let reached = window.reaches_last(layers, tokens);
            let count = reached.iter().filter(|it| **it).count();
            prop_assert_eq!(count, tokens.min(layers * (keys - 1) + 1));
        }
    }
}
