//! One block used at every depth: the facts that only a Universal Transformer has.

use serde::{Deserialize, Serialize};

/// The facts of a model whose stacks use one block at every depth ([Dehghani et al.
/// 2018](https://arxiv.org/abs/1807.03819)): the layers of a stack are depths of the same weights, and signals of
/// position and depth are added to the states before each.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReuseSpec {
    /// The halting that lets a position use fewer depths than there are; `None` if all positions use all depths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halting: Option<Halting>,
}

/// Adaptive Computation Time ([Graves 2016](https://arxiv.org/abs/1603.08983)) of each position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Halting {
    /// `ε`: a position halts at the depth where its probabilities come to `1 − ε`, or at the last.
    pub epsilon: f32,
    /// The cost `τ` of a depth and of the remainder in training, in nats.
    #[serde(default)]
    pub ponder_cost: f32,
}

/// The use of the depths by one position, from its halting probabilities.
#[derive(Clone, Debug, PartialEq)]
pub struct Ponder {
    /// The weight of each depth's state, from the first; they sum to 1. Depths after the last used have weight 0.
    pub weights: Vec<f32>,
    /// The number of depths used, `N`.
    pub depth: usize,
    /// `R`: the weight of the last of them.
    pub remainder: f32,
}

impl Ponder {
    /// Returns the use of the depths by the halting probabilities of every depth, from the first (Graves 2016,
    /// equations 5 to 7): `N` is the first depth at which they sum to `1 − ε`, or the last there is; each depth before
    /// it has its probability as weight.
    pub fn of(probabilities: &[f32], halting: Halting) -> Self {
        let mut weights = vec![0.0; probabilities.len()];
        let mut sum = 0.0;
        for (index, &probability) in probabilities.iter().enumerate() {
            let is_last = index + 1 == probabilities.len();
            if is_last || sum + probability >= halting.threshold() {
                weights[index] = 1.0 - sum;
                return Ponder {
                    weights,
                    depth: index + 1,
                    remainder: 1.0 - sum,
                };
            }
            weights[index] = probability;
            sum += probability;
        }
        Ponder {
            weights,
            depth: 0,
            remainder: 0.0,
        }
    }

    /// Returns `N + R` (Graves 2016, equation 11), which training reduces.
    pub fn cost(&self) -> f32 {
        self.depth as f32 + self.remainder
    }
}

impl Halting {
    /// Returns the threshold of halting, `1 − ε`.
    pub fn threshold(self) -> f32 {
        1.0 - self.epsilon
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HALTING: Halting = Halting {
        epsilon: 0.01,
        ponder_cost: 0.0,
    };

    #[test]
    fn the_last_depth_counts_for_what_is_left() {
        let found = Ponder::of(&[0.25, 0.5, 0.75, 0.5], HALTING);
        assert_eq!(found.weights, [0.25, 0.5, 0.25, 0.0]);
        assert_eq!((found.depth, found.remainder), (3, 0.25));
        assert_eq!(found.cost(), 3.25);
    }

    #[test]
    fn one_depth_is_enough_where_its_probability_is() {
        let found = Ponder::of(&[0.995, 0.9], HALTING);
        assert_eq!((found.weights, found.depth), (vec![1.0, 0.0], 1));
    }

    #[test]
    fn at_the_last_depth_all_halt() {
        let found = Ponder::of(&[0.125, 0.125], HALTING);
        assert_eq!((found.weights, found.depth), (vec![0.125, 0.875], 2));
    }

    proptest! {
        #[test]
        fn weights_sum_to_one_and_end_at_the_depth(
            probabilities in prop::collection::vec(0.0f32..=1.0, 1..12),
        ) {
            let Ponder { weights, depth, remainder } = Ponder::of(&probabilities, HALTING);
            prop_assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            prop_assert!(weights.iter().all(|weight| *weight >= 0.0));
            prop_assert!(weights[depth..].iter().all(|&weight| weight == 0.0));
            prop_assert_eq!(weights[depth - 1], remainder);
        }
    }
}
