//! The chain rule in both orders: the probability of a sequence as a product from its first token on, and from its last
//! token back. Both are exact for a distribution over all sequences that is small enough to be summed.

use super::path::Path;

/// The factors of a sequence's probability.
#[derive(Clone, Debug, PartialEq)]
pub struct Orders {
    /// `p(x_t | x_1 … x_{t−1})` of each place `t`.
    pub forward: Vec<f64>,
    /// `p(x_t | x_{t+1} … x_T)` of each place `t`.
    pub backward: Vec<f64>,
}

impl Orders {
    /// Returns the factors of `tokens` among `all`, every sequence of as many tokens with its probability, which sum to
    /// one. A factor is the sum over the sequences that agree with the places known and this one, divided by the sum
    /// over those that agree with the places known. `None` if the sequence is impossible, since then a factor has no
    /// meaning, or if not all sequences are as long as it.
    pub fn of(all: &[Path], tokens: &[usize]) -> Option<Self> {
        let count = tokens.len();
        let whole = sum(all, tokens, 0, count);
        let is_possible = whole > 0.0 && all.iter().all(|path| path.tokens.len() == count);
        is_possible.then(|| {
            let ratio = |known: (usize, usize), more: (usize, usize)| {
                sum(all, tokens, more.0, more.1) / sum(all, tokens, known.0, known.1)
            };
            Orders {
                forward: (0..count).map(|at| ratio((0, at), (0, at + 1))).collect(),
                backward: (0..count)
                    .map(|at| ratio((at + 1, count), (at, count)))
                    .collect(),
            }
        })
    }
}

/// Returns the total probability of the sequences that agree with `tokens` at the places from `from` up to `to`.
fn sum(all: &[Path], tokens: &[usize], from: usize, to: usize) -> f64 {
    let agrees = |path: &&Path| path.tokens.get(from..to) == tokens.get(from..to);
    all.iter().filter(agrees).map(Path::probability).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{
        exhaustive::{Ending, exhaustive},
        table::{
            TableModel,
            tests::{lecture, tables},
        },
    };
    use super::*;

    fn close(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 1e-9
    }

    #[test]
    fn both_orders_of_the_lectures_best_sequence_come_to_0_054() {
        let all = exhaustive(&lecture(), Ending::AllSteps).unwrap().found;
        let orders = Orders::of(&all, &[0, 2, 1, 3]).unwrap();
        for (found, expected) in orders.forward.iter().zip([0.5, 0.3, 0.6, 0.6]) {
            assert!(close(*found, expected), "{found}");
        }
        assert!(close(orders.forward.iter().product(), 0.054));
        assert!(close(orders.backward.iter().product(), 0.054));
        // The last token alone: after every beginning but A C B it is the end with 0.6, and so it is after that one.
        assert!(close(orders.backward[3], 0.6));
        assert!(!close(orders.backward[0], orders.forward[0]));
    }

    #[test]
    fn of_two_tokens_the_orders_are_those_of_bayes() {
        // p(a) = 0.8, p(a | a) = 0.25, p(a | b) = 1: p(first a | second a) = 0.2 / (0.2 + 0.2).
        let steps = vec![vec![0.8, 0.2], vec![0.25, 0.75]];
        let model = TableModel::new(steps, [(vec![1], vec![1.0, 0.0])]).unwrap();
        let all = exhaustive(&model, Ending::AllSteps).unwrap().found;
        let orders = Orders::of(&all, &[0, 0]).unwrap();
        for (found, expected) in orders.backward.iter().zip([0.5, 0.4]) {
            assert!(close(*found, expected), "{found}");
        }
        assert_eq!(Orders::of(&all, &[1, 1]), None, "it is impossible");
        assert_eq!(Orders::of(&all, &[0]), None, "it is no whole sequence");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn both_products_are_the_probability_and_forward_is_the_table(model in tables()) {
            let all = exhaustive(&model, Ending::AllSteps).unwrap().found;
            // A row after a beginning of as many tokens as there are steps makes some sequences longer than others.
            let is_even = all.iter().all(|path| path.tokens.len() == model.steps());
            for path in all.iter().step_by(7) {
                if !is_even {
                    prop_assert_eq!(Orders::of(&all, &path.tokens), None);
                    continue;
                }
                let Some(orders) = Orders::of(&all, &path.tokens) else {
                    prop_assert_eq!(path.probability(), 0.0);
                    continue;
                };
                for product in [orders.forward.iter().product(), orders.backward.iter().product::<f64>()] {
                    prop_assert!((product - path.probability()).abs() < 1e-9);
                }
                for (found, table) in orders.forward.iter().zip(&path.probabilities) {
                    prop_assert!((found - table).abs() < 1e-6);
                }
            }
        }
    }
}
