//! Properties of any encoder–decoder that is not a plain Transformer, recurrent ones and Universal Transformers, for
//! any input and weights.

use std::sync::LazyLock;

use attention_model::checkpoint::Checkpoint;
use attention_trace::{Quantities, Site};
use proptest::prelude::*;

use crate::fixture::{GRUS, UNIVERSALS, tiny};
use crate::run::{Input, relative, run, run_batch, run_in_pieces};

/// The tolerance for f32 sums of a few dozen terms in another order, relative to the largest value: products of more
/// rows add up in another order, and each step or depth passes on the rounding of the one before. The largest error of
/// 1,500 inputs was 6e-6.
pub const ROUNDING: f32 = 2e-5;
const VOCABULARY: u32 = 128;

static CHECKPOINTS: LazyLock<Vec<Checkpoint>> = LazyLock::new(|| {
    GRUS.iter()
        .chain(&UNIVERSALS)
        .map(|name| tiny(name))
        .collect()
});

fn tokens(length: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(0..VOCABULARY, length)
}

/// Generates a source, padded or not, and a target.
pub fn input() -> impl Strategy<Value = Input> {
    (tokens(1..12), 0usize..4, tokens(1..12)).prop_map(|(source, padding, target)| Input {
        source,
        padding,
        target,
        ..Input::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

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
            let found = relative(&cached, &whole);
            prop_assert!(found < ROUNDING, "{pieces:?}: {found}");
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
            let found = relative(&together.data, &each.collect::<Vec<_>>());
            prop_assert!(found < ROUNDING, "{found}");
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
            let found = relative(&long[..short.len()], &short);
            prop_assert!(found < ROUNDING, "{found}");
        }
    }
}
