//! Universal Transformers: what must hold of any input, whatever the weights.

use std::sync::LazyLock;

use attention_model::checkpoint::Checkpoint;
use attention_model::tap::Tap;
use attention_trace::{Edit, ModelSpec, Ponder, Quantities, Site, Stack};
use proptest::prelude::*;

use crate::fixture::{UNIVERSALS, tiny};
use crate::run::{Input, Outcome, largest_difference, run, run_batch, run_in_pieces, run_with};

/// f32 sums of a few dozen terms in another order.
const ROUNDING: f32 = 2e-5;
/// Beyond it a row of a batch is another one than that sequence alone: products of several rows add up in another order.
const ROUNDING_OF_ROWS: f32 = 1e-4;
const VOCABULARY: u32 = 128;

static CHECKPOINTS: LazyLock<[Checkpoint; 3]> = LazyLock::new(|| UNIVERSALS.map(tiny));

fn tokens(length: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(0..VOCABULARY, length)
}

fn input() -> impl Strategy<Value = Input> {
    (tokens(1..12), 0usize..4, tokens(1..12)).prop_map(|(source, padding, target)| Input {
        source,
        padding,
        target,
        ..Input::default()
    })
}

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

    #[test]
    fn recording_changes_no_number(input in input()) {
        for checkpoint in &*CHECKPOINTS {
            let recorded = run(checkpoint, &input, Quantities::all());
            let quiet = run(checkpoint, &input, Quantities::NONE);
            prop_assert_eq!(recorded.logits.data, quiet.logits.data);
        }
    }

    #[test]
    fn every_place_that_a_model_has_is_recorded_and_no_other(input in input()) {
        for checkpoint in &*CHECKPOINTS {
            let outcome = run(checkpoint, &input, Quantities::all());
            let found: Vec<Site> = outcome.arrays.keys().copied().collect();
            let mut expected: Vec<Site> = checkpoint.spec().sites().collect();
            expected.retain(|&site| site != Site::LOGITS);
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }

    /// Keys of a later depth come from the states that halted positions keep, behind a cache too.
    #[test]
    fn reading_in_pieces_is_reading_at_once(
        input in input(),
        pieces in prop::collection::vec(1usize..4, 0..12),
    ) {
        for checkpoint in &*CHECKPOINTS {
            let whole = run(checkpoint, &input, Quantities::NONE).logits.data;
            let cached = run_in_pieces(&*checkpoint.model, &input, &pieces);
            prop_assert!(largest_difference(&cached, &whole) < ROUNDING, "{pieces:?}");
        }
    }

    #[test]
    fn padding_is_inert(
        sources in prop::collection::vec(tokens(1..10), 1..5),
        targets in prop::collection::vec(tokens(6..7), 5),
    ) {
        let targets = &targets[..sources.len()];
        for checkpoint in &*CHECKPOINTS {
            let together = run_batch(&*checkpoint.model, &sources, targets);
            let each = sources.iter().zip(targets).flat_map(|(source, target)| {
                let input = Input { source: source.clone(), target: target.clone(), ..Input::default() };
                run(checkpoint, &input, Quantities::NONE).logits.data
            });
            let largest = largest_difference(&together.data, &each.collect::<Vec<_>>());
            prop_assert!(largest < ROUNDING_OF_ROWS, "{largest}");
        }
    }

    #[test]
    fn the_future_changes_nothing(input in input(), other in tokens(1..6)) {
        for checkpoint in &*CHECKPOINTS {
            let longer = Input {
                target: [input.target.clone(), other.clone()].concat(),
                ..input.clone()
            };
            let short = run(checkpoint, &input, Quantities::NONE).logits.data;
            let long = run(checkpoint, &longer, Quantities::NONE).logits.data;
            prop_assert!(largest_difference(&short, &long[..short.len()]) < ROUNDING);
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
