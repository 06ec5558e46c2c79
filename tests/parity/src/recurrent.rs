//! Recurrent encoder–decoders: properties that hold for any input, whatever the weights.

use attention_model::checkpoint::Checkpoint;
use attention_model::inference::RunOptions;
use attention_model::tap::Tap;
use attention_trace::{Array, Edit, Quantities, RecurrentAttention, Search, Site, window_factor};
use burn::prelude::Device;
use proptest::prelude::*;
use std::sync::LazyLock;

use crate::encoder_decoders::{ROUNDING, input};
use crate::fixture::{GRUS, tiny};
use crate::run::{relative, run, run_with};

static CHECKPOINTS: LazyLock<[Checkpoint; 7]> = LazyLock::new(|| GRUS.map(tiny));

fn attention(checkpoint: &Checkpoint) -> RecurrentAttention {
    checkpoint.spec().recurrence.unwrap().attention
}

fn site(name: &str) -> Site {
    name.parse().unwrap()
}

/// Computes the sum of values by the weights of a row.
fn weighted(weights: &[f32], values: &Array) -> Vec<f32> {
    let &[_, keys, width] = &values.shape[..] else {
        panic!("three axes")
    };
    let sum = |column| {
        let terms = (0..keys).map(|key| weights[key] * values.data[key * width + column]);
        terms.sum()
    };
    (0..width).map(sum).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn rows_are_distributions_and_what_a_window_leaves_of_one(input in input()) {
        for checkpoint in CHECKPOINTS.iter().filter(|one| attention(one) != RecurrentAttention::None) {
            let outcome = run(checkpoint, &input, Quantities::all());
            let window = attention(checkpoint).window();
            let pattern = outcome.array("decoder.0.cross.pattern");
            let keys = pattern.shape[2];
            prop_assert_eq!(pattern.shape[..2].to_vec(), vec![1, input.target.len()]);
            for (query, row) in pattern.data.chunks(keys).enumerate() {
                let sum: f32 = row.iter().sum();
                prop_assert!(row[input.source.len()..].iter().all(|&weight| weight == 0.0));
                let Some(window) = window else {
                    prop_assert!((sum - 1.0).abs() < 1e-5, "{sum}");
                    continue;
                };
                prop_assert!(sum > 0.0 && sum <= 1.0 + 1e-5, "{sum}");
                let center = outcome.array("decoder.0.cross.center").data[query];
                prop_assert!((0.0..=input.source.len() as f32).contains(&center), "{center}");
                for (key, &weight) in row.iter().enumerate() {
                    let distance = key as f32 - center;
                    let most = match distance.abs() <= window as f32 {
                        true => window_factor(distance, window),
                        false => 0.0,
                    };
                    prop_assert!(weight <= most + 1e-6, "{weight} at {distance}");
                }
            }
        }
    }

    #[test]
    fn contexts_are_sums_by_the_weights(input in input()) {
        for checkpoint in CHECKPOINTS.iter().filter(|one| attention(one) != RecurrentAttention::None) {
            let outcome = run(checkpoint, &input, Quantities::all());
            let array = |name: &str| outcome.array(&format!("decoder.0.cross.{name}"));
            let value = array("value");
            prop_assert_eq!(&value.data, &outcome.array("encoder.state").data);
            let weights = array("pattern").data.chunks(value.shape[1]);
            let found: Vec<f32> = weights.flat_map(|row| weighted(row, value)).collect();
            prop_assert!(relative(&array("z").data, &found) < ROUNDING);
        }
    }

    /// An edited row replaces the model's own only in the step that computes it: Bahdanau's later states depend on it,
    /// Luong's do not.
    #[test]
    fn an_edited_row_is_what_a_step_sees(input in input(), query in 0usize..11) {
        let query = query.min(input.target.len() - 1);
        let mut weights = vec![0.0; input.source.len()];
        weights[0] = 1.0;
        for checkpoint in CHECKPOINTS.iter().filter(|one| attention(one) != RecurrentAttention::None) {
            let edit = Edit::Pattern {
                attention: "decoder.0.cross".to_owned().try_into().unwrap(),
                head: 0,
                query,
                weights: weights.clone(),
            };
            let tap = Tap::recording(Quantities::all()).with_edits(&[edit]);
            let (edited, plain) = (run_with(checkpoint, &input, tap), run(checkpoint, &input, Quantities::all()));
            let row = |name: &str, query: usize| edited.array(name).row(&[0, query]).unwrap().to_vec();
            prop_assert_eq!(&row("decoder.0.cross.pattern", query)[..weights.len()], &weights[..]);
            let first = edited.array("encoder.state").row(&[0]).unwrap();
            prop_assert!(relative(&row("decoder.0.cross.z", query), first) < ROUNDING);
            let (states, own) = (edited.array("decoder.state"), plain.array("decoder.state"));
            let width = states.shape[1];
            prop_assert_eq!(&states.data[..query * width], &own.data[..query * width]);
            if attention(checkpoint) != RecurrentAttention::Bahdanau {
                prop_assert_eq!(&states.data, &own.data);
            }
        }
    }
}

/// The state between encoder and decoder carries all information of a model without attention: with another sentence's
/// state in its place, it writes that sentence's translation.
#[test]
fn without_attention_the_last_state_is_the_whole_sentence() {
    let checkpoint = &CHECKPOINTS[0];
    let device = Device::flex();
    let (text, other) = ("the cat", "a dog");
    assert_eq!(
        checkpoint.encode_input(text).unwrap().len(),
        checkpoint.encode_input(other).unwrap().len()
    );
    let decode = |text: &str, edits: Vec<Edit>| {
        let options = RunOptions {
            search: Search::Greedy,
            prefix: vec![],
            max_new_tokens: 12,
            quantities: Quantities::NONE,
            edits,
        };
        let found = checkpoint.decode(text, &options, &device, async |_| true);
        pollster::block_on(found).unwrap().remove(0).tokens
    };
    let patch = Edit::Patch {
        site: site("encoder.state"),
        text: other.into(),
        target: vec![0],
    };
    let (own, others) = (decode(text, vec![]), decode(other, vec![]));
    assert_ne!(own, others);
    assert_eq!(decode(text, vec![patch]), others);
}
