//! The encodings of positions, all in one model: the results of `transformers`, and general properties.

use attention_model::checkpoint::Checkpoint;
use attention_model::error::ModelError;
use attention_model::inference::RunOptions;
use attention_model::llama::{Llama, LlamaConfig};
use attention_model::tap::Tap;
use attention_trace::positions::{
    Buckets, PositionalEncoding, SinusoidalLayout, alibi_bias, alibi_slopes, sinusoidal,
};
use attention_trace::{Array, Quantities, Search, Slice};
use burn::prelude::*;
use pollster::block_on;
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::json;
use std::sync::LazyLock;

use crate::fixture::{Fixture, tiny};
use crate::run::{Input, Outcome, largest_difference, relative, run, run_in_pieces};

const ROUNDING: f32 = 2e-5;
const VOCABULARY: u32 = 128;
const HEADS: usize = 4;
const LONGEST: usize = 24;

/// Random weights, spread so that attention is far from uniform.
fn checkpoint(positions: PositionalEncoding, layers: usize) -> Checkpoint {
    let config = config(positions, layers);
    let device = Device::flex();
    let model = Llama::new(&config, &device).unwrap();
    Checkpoint::new(Box::new(model), tiny("llama-tiny").tokenizer)
}

fn config(positions: PositionalEncoding, layers: usize) -> LlamaConfig {
    serde_json::from_value(json!({
        "positions": positions, "vocab_size": VOCABULARY, "hidden_size": 32,
        "intermediate_size": 48, "num_hidden_layers": layers, "num_attention_heads": HEADS,
        "rms_norm_eps": 1e-5, "max_position_embeddings": LONGEST, "tie_word_embeddings": true,
        "bos_token_id": 1, "eos_token_id": 1, "initializer_range": 0.3,
    }))
    .unwrap()
}

static TWO_LAYERS: LazyLock<Vec<Checkpoint>> = LazyLock::new(|| {
    PositionalEncoding::ALL
        .map(|positions| checkpoint(positions, 2))
        .into()
});
static ONE_LAYER: LazyLock<Vec<Checkpoint>> = LazyLock::new(|| {
    PositionalEncoding::ALL
        .map(|positions| checkpoint(positions, 1))
        .into()
});

fn read(checkpoint: &Checkpoint, target: &[u32]) -> Outcome {
    let input = Input {
        target: target.to_vec(),
        ..Input::default()
    };
    run(checkpoint, &input, Quantities::all())
}

fn last_row(logits: &Array) -> &[f32] {
    logits.row(&[logits.shape[0] - 1]).unwrap()
}

/// Returns rows of a parameter, as the page requests them.
fn parameter(checkpoint: &Checkpoint, name: &str, slice: Slice) -> Array {
    let found = block_on(checkpoint.parameter(name.parse().unwrap(), slice)).unwrap();
    found.unwrap_or_else(|| panic!("{name}"))
}

fn tokens(length: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(0..VOCABULARY, length)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn rows_are_distributions_over_the_past(target in tokens(1..LONGEST)) {
        for (checkpoint, positions) in TWO_LAYERS.iter().zip(PositionalEncoding::ALL) {
            let outcome = read(checkpoint, &target);
            for layer in 0..2 {
                let weights = outcome.array(&format!("decoder.{layer}.self.pattern"));
                for (row, weights) in weights.data.chunks(target.len()).enumerate() {
                    let sum: f32 = weights.iter().sum();
                    prop_assert!((sum - 1.0).abs() < ROUNDING, "{positions:?}");
                    let future = &weights[row % target.len() + 1..];
                    prop_assert!(future.iter().all(|&weight| weight == 0.0), "{positions:?}");
                }
            }
        }
    }

    #[test]
    fn the_future_changes_nothing(target in tokens(1..12), future in tokens(1..8)) {
        for (checkpoint, positions) in TWO_LAYERS.iter().zip(PositionalEncoding::ALL) {
            let before = read(checkpoint, &target).logits.data;
            let after = read(checkpoint, &[&target[..], &future].concat()).logits.data;
            prop_assert!(relative(&after[..before.len()], &before) < ROUNDING, "{positions:?}");
        }
    }

    #[test]
    fn cached_decoding_equals_uncached(
        target in tokens(1..LONGEST),
        pieces in prop::collection::vec(1usize..4, 0..12),
    ) {
        for (checkpoint, positions) in TWO_LAYERS.iter().zip(PositionalEncoding::ALL) {
            let input = Input { target: target.clone(), ..Input::default() };
            let whole = read(checkpoint, &target).logits.data;
            for pieces in [&pieces[..], &[1; LONGEST]] {
                let cached = run_in_pieces(&*checkpoint.model, &input, pieces);
                prop_assert!(relative(&cached, &whole) < ROUNDING, "{positions:?}, {pieces:?}");
            }
        }
    }

    /// In one layer without positions, the last token attends to a set; with any encoding of positions, to a sequence.
    #[test]
    fn only_without_positions_is_the_past_a_set(
        past in Just((2..12).collect::<Vec<u32>>()).prop_shuffle(),
    ) {
        let sorted: Vec<u32> = (2..12).collect();
        prop_assume!(past != sorted);
        for (checkpoint, positions) in ONE_LAYER.iter().zip(PositionalEncoding::ALL) {
            let last = |past: &[u32]| read(checkpoint, &[past, &[1]].concat()).logits;
            let (one, other) = (last(&sorted), last(&past));
            let difference = relative(last_row(&one), last_row(&other));
            let is_set = positions == PositionalEncoding::None;
            prop_assert_eq!(difference < ROUNDING, is_set, "{:?}: {}", positions, difference);
        }
    }

    /// Absolute positions change the score of two tokens when both move on; relative ones do not.
    #[test]
    fn scores_depend_on_place_where_positions_are_absolute(
        pair in tokens(2..6),
        before in tokens(1..12),
    ) {
        for (checkpoint, positions) in ONE_LAYER.iter().zip(PositionalEncoding::ALL) {
            let score = |target: &[u32]| {
                let outcome = read(checkpoint, target);
                let scores = outcome.array("decoder.0.self.masked_scores");
                let first = target.len() - pair.len();
                let row = |head| scores.row(&[head, target.len() - 1]).unwrap()[first];
                (0..HEADS).map(row).collect::<Vec<f32>>()
            };
            let moved = score(&[&before[..], &pair].concat());
            let same = relative(&moved, &score(&pair)) < 5.0 * ROUNDING;
            let absolute = [PositionalEncoding::Learned, PositionalEncoding::Sinusoidal];
            prop_assert_eq!(same, !absolute.contains(&positions), "{:?}", positions);
        }
    }

    #[test]
    fn a_bias_is_recorded_where_there_is_one_and_is_in_the_scores(target in tokens(2..LONGEST)) {
        for (checkpoint, positions) in TWO_LAYERS.iter().zip(PositionalEncoding::ALL) {
            let arrays = read(checkpoint, &target).arrays;
            let array = |name: &str| arrays.get(&format!("decoder.1.self.{name}").parse().unwrap());
            let biased = matches!(positions, PositionalEncoding::T5 | PositionalEncoding::Alibi);
            prop_assert_eq!(array("position_bias").is_some(), biased);
            let added = matches!(positions, PositionalEncoding::Learned | PositionalEncoding::Sinusoidal);
            prop_assert_eq!(arrays.contains_key(&"decoder.token_embedding".parse().unwrap()), added);
            let turned = positions == PositionalEncoding::Rope;
            prop_assert_eq!(array("query_before_rope").is_some(), turned);
            let Some(bias) = array("position_bias") else { continue };
            let (scaled, masked) = (array("scaled_scores").unwrap(), array("masked_scores").unwrap());
            for ((scaled, bias), masked) in scaled.data.iter().zip(&bias.data).zip(&masked.data) {
                prop_assert!(*masked == scaled + bias || *masked == f32::NEG_INFINITY);
            }
            let length = target.len();
            if positions == PositionalEncoding::Alibi {
                prop_assert_eq!(&bias.data, &alibi_bias(HEADS, 0..length, 0..length));
                continue;
            }
            let table = parameter(checkpoint, "decoder.bias_table", Slice::Whole);
            for (index, bias) in bias.data.iter().enumerate() {
                let (head, query, key) = (index / length.pow(2), index / length % length, index % length);
                let bucket = Buckets::CAUSAL.bucket(key as isize - query as isize);
                prop_assert_eq!(*bias, table.row(&[bucket]).unwrap()[head]);
            }
        }
    }

    #[test]
    fn embeddings_are_those_of_the_tokens_and_what_positions_add(target in tokens(1..LONGEST)) {
        for (checkpoint, positions) in TWO_LAYERS.iter().zip(PositionalEncoding::ALL) {
            let outcome = read(checkpoint, &target);
            let length = target.len();
            let added = match positions {
                PositionalEncoding::Learned => {
                    let rows = Slice::Rows(0, length);
                    parameter(checkpoint, "decoder.position_table", rows).data
                }
                PositionalEncoding::Sinusoidal => {
                    let width = outcome.array("decoder.embedding").shape[1];
                    sinusoidal(0..length, width, SinusoidalLayout::Interleaved)
                }
                _ => continue,
            };
            let (tokens, sums) =
                (outcome.array("decoder.token_embedding"), outcome.array("decoder.embedding"));
            for ((token, added), sum) in tokens.data.iter().zip(&added).zip(&sums.data) {
                prop_assert_eq!(*sum, token + added, "{:?}", positions);
            }
        }
    }
}

#[test]
fn a_trace_says_how_its_model_knows_positions() {
    let options = RunOptions {
        search: Search::Greedy,
        prefix: vec![],
        max_new_tokens: 0,
        quantities: Quantities::NONE,
        edits: vec![],
    };
    for (checkpoint, positions) in ONE_LAYER.iter().zip(PositionalEncoding::ALL) {
        let trace = block_on(checkpoint.trace("a b c", &[], &options, &Device::flex())).unwrap();
        let found = trace.meta.spec.positions;
        assert_eq!(found.encoding, positions);
        assert_eq!(
            found.rope_theta.is_some(),
            positions == PositionalEncoding::Rope
        );
        let buckets = (positions == PositionalEncoding::T5).then_some(Buckets::CAUSAL);
        assert_eq!(found.buckets, buckets);
    }
}

/// The model is trained on 5 positions, and the text has 7.
#[test]
fn a_text_beyond_the_table_is_refused_with_both_numbers() {
    let config = LlamaConfig {
        max_position_embeddings: 5,
        ..config(PositionalEncoding::Learned, 1)
    };
    let model = Llama::new(&config, &Device::flex()).unwrap();
    let checkpoint = Checkpoint::new(Box::new(model), tiny("llama-tiny").tokenizer);
    let tokens = checkpoint
        .tokenizer
        .encode("she reads a long book")
        .unwrap()
        .len();
    let error = checkpoint
        .encode_input("she reads a long book")
        .unwrap_err();
    assert!(matches!(error, ModelError::InputTooLong { .. }), "{error}");
    let message = error.to_string();
    assert!(
        message.contains(&format!("has {tokens} tokens")),
        "{message}"
    );
    // What is known by distance has no end in the model.
    let unlimited = LlamaConfig {
        positions: PositionalEncoding::T5,
        ..config
    };
    let model = Llama::new(&unlimited, &Device::flex()).unwrap();
    let unlimited = Checkpoint::new(Box::new(model), tiny("llama-tiny").tokenizer);
    let encoded = unlimited.encode_input("she reads a long book").unwrap();
    assert_eq!(encoded.len(), tokens);
    // But memory has.
    let endless = "she reads a long book ".repeat(unlimited.spec().longest_input());
    let error = unlimited.encode_input(&endless).unwrap_err();
    assert!(matches!(error, ModelError::InputTooLong { .. }), "{error}");
    // All the table's rows can be used.
    let five = crate::run::batch(&[vec![1, 2, 3, 4, 5]]);
    let states = checkpoint.model.read(None, Some(five), &mut Tap::quiet());
    assert_eq!(states.dims(), [1, 5, 32]);
}

#[derive(Deserialize)]
struct Formulas {
    distances: Vec<isize>,
    heads: Vec<usize>,
}

#[test]
fn t5s_buckets_equal_transformers() {
    let fixture = Fixture::<Formulas>::read("relative.safetensors");
    for (name, buckets) in [("t5-causal", Buckets::CAUSAL), ("t5-both", Buckets::BOTH)] {
        let distances = fixture.description.distances.iter();
        let found: Vec<f32> = distances
            .map(|&offset| buckets.bucket(offset) as f32)
            .collect();
        assert_eq!(found, fixture.arrays[name].data, "{name}");
    }
}

#[test]
fn alibis_slopes_equal_transformers() {
    let fixture = Fixture::<Formulas>::read("relative.safetensors");
    for heads in fixture.description.heads {
        let expected = &fixture.arrays[&format!("alibi-{heads}")].data;
        let difference = largest_difference(&alibi_slopes(heads), expected);
        assert!(difference < 1e-6, "{heads} heads: {difference}");
    }
}

#[derive(Deserialize)]
struct Tokens {
    tokens: Vec<u32>,
}

#[test]
fn attention_with_t5s_bias_equals_transformers() {
    let fixture = Fixture::<Tokens>::read("tiny/t5-attention/expected.safetensors");
    let outcome = read(&tiny("t5-attention"), &fixture.description.tokens);
    assert_eq!(fixture.arrays.len(), 3);
    for (name, expected) in &fixture.arrays {
        // The fixture keeps the batch's axis.
        let found = outcome.array(name);
        assert_eq!(found.shape, expected.shape[1..], "{name}");
        let difference = largest_difference(&found.data, &expected.data);
        println!("{name}: largest difference {difference:.1e}");
        assert!(difference < 1e-5, "{name}: {difference}");
    }
}
