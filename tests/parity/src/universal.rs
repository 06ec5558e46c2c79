//! Universal Transformers: what must hold of any input, whatever the weights.

use std::sync::LazyLock;

use attention_model::checkpoint::Checkpoint;
use attention_model::tap::Tap;
use attention_trace::{Edit, ModelSpec, Ponder, Quantities, Site, Stack};
use proptest::prelude::*;

use crate::encoder_decoders::{ROUNDING, input};
use crate::fixture::{UNIVERSALS, tiny};
use crate::run::{Outcome, largest_difference, run, run_with};

static CHECKPOINTS: LazyLock<[Checkpoint; 3]> = LazyLock::new(|| UNIVERSALS.map(tiny));

fn halting() -> impl Iterator<Item = (&'static Checkpoint, ModelSpec)> {
    let all = CHECKPOINTS.iter().map(|one| (one, one.spec()));
    all.filter(|(_, spec)| spec.halting().is_some())
}

/// An array of every depth of a stack, each a number for every position.
fn by_depth(outcome: &Outcome, spec: &ModelSpec, stack: Stack, quantity: &str) -> Vec<Vec<f32>> {
    let depths = 0..spec.stack(stack).unwrap().layers;
    let array = |depth| outcome.array(&format!("{stack}.{depth}.mlp.{quantity}"));
    depths.map(|depth| array(depth).data.clone()).collect()
}

/// The numbers of one position, from the first depth.
fn column(by_depth: &[Vec<f32>], position: usize) -> Vec<f32> {
    by_depth.iter().map(|row| row[position]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn weights_of_depths_are_those_of_the_probabilities(input in input()) {
        for (checkpoint, spec) in halting() {
            let outcome = run(checkpoint, &input, Quantities::all());
            for stack in [Stack::Encoder, Stack::Decoder] {
                let probabilities = by_depth(&outcome, &spec, stack, "halting");
                let weights = by_depth(&outcome, &spec, stack, "depth_weight");
                for position in 0..probabilities[0].len() {
                    let found = column(&weights, position);
                    let expected = Ponder::of(&column(&probabilities, position), spec.halting().unwrap());
                    prop_assert!(largest_difference(&found, &expected.weights) < 1e-6);
                }
            }
        }
    }

    /// Who has halted keeps its state, and what a stack hands on is the sum of its depths.
    #[test]
    fn halted_positions_keep_their_states(input in input()) {
        for (checkpoint, spec) in halting() {
            let outcome = run(checkpoint, &input, Quantities::all());
            for stack in [Stack::Encoder, Stack::Decoder] {
                let weights = by_depth(&outcome, &spec, stack, "depth_weight");
                let states = by_depth(&outcome, &spec, stack, "state");
                let handed_on = outcome.array(&format!("{stack}.state"));
                let width = handed_on.shape[1];
                let row = |depth: usize, position: usize| &states[depth][position * width..(position + 1) * width];
                for position in 0..weights[0].len() {
                    let used = column(&weights, position);
                    let mut sum = vec![0.0; width];
                    for (depth, &weight) in used.iter().enumerate() {
                        if depth > 0 && weight == 0.0 {
                            prop_assert_eq!(row(depth, position), row(depth - 1, position));
                        }
                        sum.iter_mut().zip(row(depth, position)).for_each(|(sum, x)| *sum += weight * x);
                    }
                    let found = handed_on.row(&[position]).unwrap();
                    prop_assert!(largest_difference(found, &sum) < ROUNDING);
                }
            }
        }
    }

    /// A probability that is changed decides: with certainty after the first depth, the first state alone is handed on.
    #[test]
    fn an_edited_probability_halts(input in input()) {
        for (checkpoint, _) in halting() {
            let site: Site = "encoder.0.mlp.halting".parse().unwrap();
            let mut array = run(checkpoint, &input, Quantities::all()).arrays[&site].clone();
            array.data.fill(1.0);
            let tap = Tap::recording(Quantities::all()).with_edits(&[Edit::Replace { site, array }]);
            let edited = run_with(checkpoint, &input, tap);
            let first = &edited.array("encoder.0.mlp.state").data;
            prop_assert!(largest_difference(&edited.array("encoder.state").data, first) < ROUNDING);
        }
    }
}
