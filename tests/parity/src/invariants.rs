//! Properties that hold for any input, whatever the weights.

use attention_model::checkpoint::Checkpoint;
use attention_model::sequence::{Memory, SequenceModel, State};
use attention_model::tap::Tap;
use attention_trace::positions::rotate;
use attention_trace::{Array, Block, LayerAttention, Quantities, Quantity, Stack, Sublayer};
use burn::prelude::*;
use proptest::prelude::*;
use std::sync::LazyLock;

use crate::fixture::tiny;
use crate::run::{
    Input, Outcome, batch, largest_difference, relative, run, run_batch, run_in_pieces, source,
    values,
};

/// The tolerance for f32 sums of a few dozen terms in another order.
const ROUNDING: f32 = 2e-5;
const VOCABULARY: u32 = 128;

/// A checkpoint of each kind. `llama-ntk` has not all of the properties: its cached keys keep the rotation of the
/// shorter text.
static CHECKPOINTS: LazyLock<[Checkpoint; 9]> = LazyLock::new(|| {
    [
        "marian-tiny",
        "llama-gqa",
        "qwen3",
        "gpt2-tiny",
        "t5-v1_0",
        "t5-v1_1",
        "mistral",
        "gemma2",
        "gpt-neox",
    ]
    .map(tiny)
});

fn marian() -> &'static dyn SequenceModel {
    &*CHECKPOINTS[0].model
}

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

/// Returns the recorded arrays of a quantity, with the block of each.
fn arrays_of(outcome: &Outcome, quantity: Quantity) -> impl Iterator<Item = (Block, &Array)> {
    let arrays = outcome.arrays.iter();
    let arrays = arrays.filter(move |(site, _)| site.quantity == quantity);
    arrays.map(|(site, array)| (site.block, array))
}

/// Returns true if an attention's keys are the source's positions.
fn sees_source(block: Block) -> bool {
    matches!(
        block,
        Block::Sublayer(Stack::Encoder, ..) | Block::Sublayer(_, _, Sublayer::CrossAttention)
    )
}

/// Returns true if position `query` must not see position `key` in the attention `block`.
fn forbidden(
    checkpoint: &Checkpoint,
    block: Block,
    input: &Input,
    [query, key]: [usize; 2],
) -> bool {
    if sees_source(block) {
        key >= input.source.len()
    } else {
        let window = layer_attention(checkpoint, block).window;
        key > query || window.is_some_and(|window| query - key >= window)
    }
}

/// Returns the facts of a layer's self-attention.
fn layer_attention(checkpoint: &Checkpoint, block: Block) -> LayerAttention {
    let Block::Sublayer(stack, layer, Sublayer::SelfAttention) = block else {
        return LayerAttention::default();
    };
    checkpoint.spec().stack(stack).unwrap().attention_in(layer)
}

/// Computes `a @ b`, `[h, n, k]` by `[h, k, m]`, summed in f64.
fn product(a: &Array, b: &Array) -> Vec<f32> {
    let (&[heads, n, k], &[_, _, m]) = (&a.shape[..], &b.shape[..]) else {
        panic!("three axes")
    };
    let mut out = Vec::with_capacity(heads * n * m);
    for h in 0..heads {
        for i in 0..n {
            for j in 0..m {
                let terms = (0..k).map(|l| {
                    f64::from(a.data[(h * n + i) * k + l]) * f64::from(b.data[(h * k + l) * m + j])
                });
                out.push(terms.sum::<f64>() as f32);
            }
        }
    }
    out
}

fn transposed(a: &Array) -> Array {
    let &[heads, rows, columns] = &a.shape[..] else {
        panic!("three axes")
    };
    let data = (0..heads * rows * columns)
        .map(|i| {
            let (h, j, i) = (i / (rows * columns), i / rows % columns, i % rows);
            a.data[(h * rows + i) * columns + j]
        })
        .collect();
    Array {
        shape: vec![heads, columns, rows],
        data,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_row_of_attention_is_a_distribution(input in input()) {
        for checkpoint in &*CHECKPOINTS {
            let outcome = run(checkpoint, &input, Quantities::all());
            prop_assert!(arrays_of(&outcome, Quantity::Pattern).count() > 0);
            for (block, weights) in arrays_of(&outcome, Quantity::Pattern) {
                for row in weights.data.chunks(weights.shape[2]) {
                    prop_assert!(row.iter().all(|w| (0.0..=1.0).contains(w)), "{block}: {row:?}");
                    let sum: f32 = row.iter().sum();
                    prop_assert!((sum - 1.0).abs() < 1e-5, "{block} sums to {sum}");
                }
            }
        }
    }

    #[test]
    fn scores_are_minus_infinity_exactly_where_attention_is_forbidden(input in input()) {
        for checkpoint in &*CHECKPOINTS {
            let outcome = run(checkpoint, &input, Quantities::all());
            for (block, scores) in arrays_of(&outcome, Quantity::MaskedScores) {
                let (rows, columns) = (scores.shape[1], scores.shape[2]);
                for (i, &score) in scores.data.iter().enumerate() {
                    let (query, key) = (i / columns % rows, i % columns);
                    let masked = forbidden(checkpoint, block, &input, [query, key]);
                    let weight = outcome.arrays[&block.at(Quantity::Pattern)].data[i];
                    prop_assert_eq!(score == f32::NEG_INFINITY, masked, "{} {} {}", block, query, key);
                    prop_assert!(!score.is_nan());
                    prop_assert!(!masked || weight == 0.0);
                }
            }
        }
    }

    #[test]
    fn each_stage_follows_from_the_one_before(input in input()) {
        for checkpoint in &*CHECKPOINTS {
            let outcome = run(checkpoint, &input, Quantities::all());
            prop_assert!(arrays_of(&outcome, Quantity::Scores).count() > 0);
            for (block, scores) in arrays_of(&outcome, Quantity::Scores) {
                let array = |quantity| &outcome.arrays[&block.at(quantity)];
                let d_k = *array(Quantity::Query).shape.last().unwrap() as f32;
                let found = product(array(Quantity::Query), &transposed(array(Quantity::Key)));
                prop_assert!(relative(&scores.data, &found) < ROUNDING, "{block}: scores");
                let root = if checkpoint.spec().scales_scores { d_k.sqrt() } else { 1.0 };
                let divisor = layer_attention(checkpoint, block).divisor.unwrap_or(root);
                let scaled: Vec<f32> = scores.data.iter().map(|score| score / divisor).collect();
                prop_assert!(relative(&array(Quantity::ScaledScores).data, &scaled) < ROUNDING, "{block}");
                let softmax: Vec<f32> = array(Quantity::MaskedScores)
                    .data
                    .chunks(scores.shape[2])
                    .flat_map(|row| {
                        let sum: f64 = row.iter().map(|s| f64::from(*s).exp()).sum();
                        row.iter().map(move |s| (f64::from(*s).exp() / sum) as f32)
                    })
                    .collect();
                prop_assert!(largest_difference(&array(Quantity::Pattern).data, &softmax) < ROUNDING);
                let outputs = product(array(Quantity::Pattern), array(Quantity::Value));
                prop_assert!(relative(&array(Quantity::Z).data, &outputs) < ROUNDING, "{block}");
            }
        }
    }

    #[test]
    fn the_future_changes_nothing(
        input in input(),
        future in tokens(1..6),
        keep in 1usize..12,
    ) {
        let keep = keep.min(input.target.len());
        let other = Input {
            target: [&input.target[..keep], &future].concat(),
            ..input.clone()
        };
        for checkpoint in &*CHECKPOINTS {
            let before = run(checkpoint, &input, Quantities::all());
            let after = run(checkpoint, &other, Quantities::all());
            let logits = keep * VOCABULARY as usize;
            prop_assert!(relative(&after.logits.data[..logits], &before.logits.data[..logits]) < ROUNDING);
            for (block, weights) in arrays_of(&before, Quantity::Pattern).filter(|(block, _)| !sees_source(*block)) {
                let changed = &after.arrays[&block.at(Quantity::Pattern)];
                for head in 0..weights.shape[0] {
                    for query in 0..keep {
                        let a = &weights.row(&[head, query]).unwrap()[..=query];
                        let b = &changed.row(&[head, query]).unwrap()[..=query];
                        prop_assert!(largest_difference(a, b) < ROUNDING);
                    }
                }
            }
        }
    }

    #[test]
    fn recording_changes_no_number(input in input()) {
        for checkpoint in &*CHECKPOINTS {
            let recorded = run(checkpoint, &input, Quantities::all());
            let quiet = run(checkpoint, &input, Quantities::NONE);
            prop_assert!(quiet.arrays.is_empty());
            prop_assert_eq!(recorded.logits.data, quiet.logits.data);
        }
    }

    #[test]
    fn cached_decoding_equals_uncached(
        input in input(),
        pieces in prop::collection::vec(1usize..4, 0..12),
    ) {
        let one_by_one = vec![1; input.target.len()];
        for pieces in [pieces, one_by_one] {
            for checkpoint in &*CHECKPOINTS {
                let whole = run(checkpoint, &input, Quantities::NONE).logits.data;
                let cached = run_in_pieces(&*checkpoint.model, &input, &pieces);
                prop_assert!(relative(&cached, &whole) < ROUNDING, "{pieces:?}");
            }
        }
    }

    #[test]
    fn padding_is_inert(
        sources in prop::collection::vec(tokens(1..10), 1..5),
        targets in prop::collection::vec(tokens(6..7), 5),
    ) {
        let targets = &targets[..sources.len()];
        let together = run_batch(marian(), &sources, targets);
        let each = sources.iter().zip(targets).flat_map(|(source, target)| {
            let input = Input { source: source.clone(), target: target.clone(), ..Input::default() };
            run(&CHECKPOINTS[0], &input, Quantities::NONE).logits.data
        });
        prop_assert!(relative(&together.data, &each.collect::<Vec<_>>()) < ROUNDING);
    }

    #[test]
    fn cross_attention_sees_a_set(
        input in input(),
        order in Just((0..11).collect::<Vec<i32>>()).prop_shuffle(),
    ) {
        let input = Input { padding: 0, ..input };
        let length = input.source.len();
        let order: Vec<i32> = order.into_iter().filter(|&i| (i as usize) < length).collect();
        let indices = Tensor::<1, Int>::from_data(order.as_slice(), &Device::flex());
        let source = source(marian(), &input);
        let memory = marian().start(Some(source), &mut Tap::quiet()).memory.unwrap();
        let shuffled = Memory { states: memory.states.clone().select(1, indices), mask: None };
        let decode = |memory: &Memory| {
            let target = batch(std::slice::from_ref(&input.target));
            let mut tap = Tap::recording(Quantities::all());
            let layers = marian().spec().decoder.unwrap().layers;
            let mut state = State::new(Some(memory.clone()), layers);
            let states = marian().advance(target, &mut state, &mut tap);
            let (arrays, _) = pollster::block_on(tap.read(vec![])).unwrap();
            (values(states), arrays)
        };
        let (states, arrays) = decode(&memory);
        let (same, moved) = decode(&shuffled);
        prop_assert!(relative(&same, &states) < ROUNDING);
        for (name, weights) in arrays.iter().filter(|(site, _)| site.quantity == Quantity::Pattern && sees_source(site.block)) {
            for (row, moved) in weights.data.chunks(length).zip(moved[name].data.chunks(length)) {
                let expected: Vec<f32> = order.iter().map(|&i| row[i as usize]).collect();
                prop_assert!(largest_difference(moved, &expected) < ROUNDING, "{name}");
            }
        }
    }

    #[test]
    fn rope_makes_scores_depend_on_distance_alone(target in tokens(2..12), shift in 0usize..40) {
        let theta = CHECKPOINTS[1].spec().positions.rope_theta.unwrap();
        let input = Input { target, ..Input::default() };
        let outcome = run(&CHECKPOINTS[1], &input, Quantities::all());
        for (block, queries) in arrays_of(&outcome, Quantity::QueryBeforeRope) {
            let &[heads, length, d_k] = &queries.shape[..] else { panic!("three axes") };
            let array = |quantity| &outcome.arrays[&block.at(quantity)];
            for head in 0..heads {
                for position in 0..length {
                    let row = |quantity| array(quantity).row(&[head, position]).unwrap();
                    let turned = rotate(row(Quantity::QueryBeforeRope), position, theta);
                    prop_assert!(relative(row(Quantity::Query), &turned) < ROUNDING, "{block}: query");
                    let turned = rotate(row(Quantity::KeyBeforeRope), position, theta);
                    prop_assert!(relative(row(Quantity::Key), &turned) < ROUNDING, "{block}: key");
                }
            }
            // All positions moved by the same distance: every score stays what it was.
            let moved = |quantity| Array {
                shape: vec![heads, length, d_k],
                data: array(quantity)
                    .data
                    .chunks(d_k)
                    .enumerate()
                    .flat_map(|(i, row)| rotate(row, i % length + shift, theta))
                    .collect(),
            };
            let scores = product(&moved(Quantity::QueryBeforeRope), &transposed(&moved(Quantity::KeyBeforeRope)));
            prop_assert!(relative(&scores, &array(Quantity::Scores).data) < 10.0 * ROUNDING, "{block}");
        }
    }
}

#[test]
fn query_heads_of_a_group_share_keys_and_values() {
    let input = Input {
        target: vec![1, 5, 9, 3],
        ..Input::default()
    };
    let outcome = run(&CHECKPOINTS[1], &input, Quantities::all());
    for name in ["key", "value"] {
        let array = outcome.array(&format!("decoder.0.self.{name}"));
        let heads: Vec<&[f32]> = array.data.chunks(array.data.len() / 4).collect();
        assert_eq!(heads[0], heads[1]);
        assert_eq!(heads[2], heads[3]);
        assert_ne!(heads[1], heads[2]);
    }
}
