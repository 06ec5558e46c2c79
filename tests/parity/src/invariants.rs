//! What must hold of any input, whatever the weights.

use attention_model::checkpoint::{Checkpoint, Model};
use attention_model::llama::Llama;
use attention_model::marian::{Marian, Memory};
use attention_model::pass::Pass;
use attention_trace::positions::rotate;
use attention_trace::{Array, Quantities};
use burn::prelude::*;
use proptest::prelude::*;
use std::sync::LazyLock;

use crate::fixture::tiny;
use crate::run::{
    Input, Outcome, batch, encode, largest_difference, run, run_batch, run_llama_in_pieces,
    run_marian_in_pieces, values,
};

/// f32 sums of a few dozen terms in another order.
const ROUNDING: f32 = 2e-5;
const VOCABULARY: u32 = 128;

static CHECKPOINTS: LazyLock<[Checkpoint; 2]> =
    LazyLock::new(|| [tiny("marian-tiny"), tiny("llama-gqa")]);

fn marian() -> &'static Marian {
    match &CHECKPOINTS[0].model {
        Model::Marian(marian) => marian,
        Model::Llama(_) => panic!("not a Marian model"),
    }
}

fn llama() -> &'static Llama {
    match &CHECKPOINTS[1].model {
        Model::Llama(llama) => llama,
        Model::Marian(_) => panic!("not a Llama model"),
    }
}

fn tokens(length: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(0..VOCABULARY, length)
}

fn input() -> impl Strategy<Value = Input> {
    (tokens(1..12), 0usize..4, tokens(1..12)).prop_map(|(source, padding, target)| Input {
        source,
        padding,
        target,
    })
}

/// The recorded arrays named `…{suffix}`, with the path before it.
fn ending<'a>(outcome: &'a Outcome, suffix: &'a str) -> impl Iterator<Item = (&'a str, &'a Array)> {
    outcome
        .arrays
        .iter()
        .filter_map(move |(name, array)| Some((name.strip_suffix(suffix)?, array)))
}

/// Whether position `query` must not see position `key` in the attention at `path`.
fn forbidden(path: &str, input: &Input, query: usize, key: usize) -> bool {
    if path.contains("encoder") {
        key >= input.source.len()
    } else {
        key > query
    }
}

/// `a @ b`, `[h, n, k]` by `[h, k, m]`, summed in f64.
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

/// The largest difference relative to the largest value.
fn relative(a: &[f32], b: &[f32]) -> f32 {
    let scale = b.iter().fold(1.0_f32, |scale, b| scale.max(b.abs()));
    largest_difference(a, b) / scale
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_row_of_attention_is_a_distribution(input in input()) {
        for checkpoint in &*CHECKPOINTS {
            let outcome = run(checkpoint, &input, Quantities::all());
            prop_assert!(ending(&outcome, ".weights").count() > 0);
            for (path, weights) in ending(&outcome, ".weights") {
                for row in weights.data.chunks(weights.shape[2]) {
                    prop_assert!(row.iter().all(|w| (0.0..=1.0).contains(w)), "{path}: {row:?}");
                    let sum: f32 = row.iter().sum();
                    prop_assert!((sum - 1.0).abs() < 1e-5, "{path} sums to {sum}");
                }
            }
        }
    }

    #[test]
    fn scores_are_minus_infinity_exactly_where_attention_is_forbidden(input in input()) {
        for checkpoint in &*CHECKPOINTS {
            let outcome = run(checkpoint, &input, Quantities::all());
            for (path, scores) in ending(&outcome, ".masked_scores") {
                let (rows, columns) = (scores.shape[1], scores.shape[2]);
                for (i, &score) in scores.data.iter().enumerate() {
                    let (query, key) = (i / columns % rows, i % columns);
                    let masked = forbidden(path, &input, query, key);
                    let weight = outcome.arrays[&format!("{path}.weights")].data[i];
                    prop_assert_eq!(score == f32::NEG_INFINITY, masked, "{} {} {}", path, query, key);
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
            prop_assert!(ending(&outcome, ".scores").count() > 0);
            for (site, scores) in ending(&outcome, ".scores") {
                let array = |name: &str| &outcome.arrays[&format!("{site}.{name}")];
                let d_k = *array("query").shape.last().unwrap() as f32;
                let found = product(array("query"), &transposed(array("key")));
                prop_assert!(relative(&scores.data, &found) < ROUNDING, "{site}: scores");
                let scaled: Vec<f32> = scores.data.iter().map(|score| score / d_k.sqrt()).collect();
                prop_assert!(relative(&array("scaled_scores").data, &scaled) < ROUNDING, "{site}");
                let softmax: Vec<f32> = array("masked_scores")
                    .data
                    .chunks(scores.shape[2])
                    .flat_map(|row| {
                        let sum: f64 = row.iter().map(|s| f64::from(*s).exp()).sum();
                        row.iter().map(move |s| (f64::from(*s).exp() / sum) as f32)
                    })
                    .collect();
                prop_assert!(largest_difference(&array("weights").data, &softmax) < ROUNDING);
                let outputs = product(array("weights"), array("value"));
                prop_assert!(relative(&array("head_outputs").data, &outputs) < ROUNDING, "{site}");
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
            for (path, weights) in ending(&before, ".weights").filter(|(path, _)| !path.contains("encoder")) {
                let changed = &after.arrays[&format!("{path}.weights")];
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
            let whole = run(&CHECKPOINTS[0], &input, Quantities::NONE).logits.data;
            let cached = run_marian_in_pieces(marian(), &input, &pieces);
            prop_assert!(relative(&cached, &whole) < ROUNDING, "marian, {pieces:?}");
            let whole = run(&CHECKPOINTS[1], &input, Quantities::NONE).logits.data;
            let cached = run_llama_in_pieces(llama(), &input.target, &pieces);
            prop_assert!(relative(&cached, &whole) < ROUNDING, "llama, {pieces:?}");
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
            let input = Input { source: source.clone(), padding: 0, target: target.clone() };
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
        let memory = encode(marian(), &input, &mut Pass::quiet());
        let shuffled = Memory { states: memory.states.clone().select(1, indices), padding: None };
        let decode = |memory: &Memory| {
            let target = batch(std::slice::from_ref(&input.target));
            let mut pass = Pass::recording(Quantities::all());
            let states = marian().decode(target, memory, &mut marian().cache(), &mut pass);
            let (arrays, _) = pollster::block_on(pass.read(vec![])).unwrap();
            (values(states), arrays)
        };
        let (states, arrays) = decode(&memory);
        let (same, moved) = decode(&shuffled);
        prop_assert!(relative(&same, &states) < ROUNDING);
        for (name, weights) in arrays.iter().filter(|(name, _)| name.ends_with("encoder_attn.weights")) {
            for (row, moved) in weights.data.chunks(length).zip(moved[name].data.chunks(length)) {
                let expected: Vec<f32> = order.iter().map(|&i| row[i as usize]).collect();
                prop_assert!(largest_difference(moved, &expected) < ROUNDING, "{name}");
            }
        }
    }

    #[test]
    fn rope_makes_scores_depend_on_distance_alone(target in tokens(2..12), shift in 0usize..40) {
        let theta = llama().config().theta();
        let input = Input { target, ..Input::default() };
        let outcome = run(&CHECKPOINTS[1], &input, Quantities::all());
        for (path, queries) in ending(&outcome, ".unrotated_query") {
            let &[heads, length, d_k] = &queries.shape[..] else { panic!("three axes") };
            let array = |name: &str| &outcome.arrays[&format!("{path}.{name}")];
            for head in 0..heads {
                for position in 0..length {
                    let row = |name: &str| array(name).row(&[head, position]).unwrap();
                    let turned = rotate(row("unrotated_query"), position, theta);
                    prop_assert!(relative(row("query"), &turned) < ROUNDING, "{path}: query");
                    let turned = rotate(row("unrotated_key"), position, theta);
                    prop_assert!(relative(row("key"), &turned) < ROUNDING, "{path}: key");
                }
            }
            // All positions moved by the same distance: every score stays what it was.
            let moved = |name: &str| Array {
                shape: vec![heads, length, d_k],
                data: array(name)
                    .data
                    .chunks(d_k)
                    .enumerate()
                    .flat_map(|(i, row)| rotate(row, i % length + shift, theta))
                    .collect(),
            };
            let scores = product(&moved("unrotated_query"), &transposed(&moved("unrotated_key")));
            prop_assert!(relative(&scores, &array("scores").data) < 10.0 * ROUNDING, "{path}");
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
        let array = &outcome.arrays[&format!("model.layers.0.self_attn.{name}")];
        let heads: Vec<&[f32]> = array.data.chunks(array.data.len() / 4).collect();
        assert_eq!(heads[0], heads[1]);
        assert_eq!(heads[2], heads[3]);
        assert_ne!(heads[1], heads[2]);
    }
}
