//! The lecture's worked example, "Thinking Machines": the trace that the page shows
//! (`assets/examples/thinking-machines.safetensors`), computed by the functions that the models use. Run with `BLESS=1`
//! to write it anew.

use std::{collections::BTreeMap, env, fs, path::PathBuf, sync::LazyLock};

use attention_model::attention::{attend, tap_heads};
use attention_model::tap::Tap;
use attention_trace::config::MarianConfig;
use attention_trace::positions::PositionalEncoding;
use attention_trace::{
    Array, Block, Generates, ModelSpec, Quantities, Quantity, Site, Stack, Sublayer, Token, Trace,
    TraceMeta,
};
use burn::prelude::*;

/// The width of a head in the paper and in the lecture.
const D_K: usize = 64;
/// `q·k` of each query (rows) and key (columns). The first row is the lecture's; the second is ours.
const SCORES: [[f32; 2]; 2] = [[112.0, 96.0], [88.0, 104.0]];
const ATTENTION: Block = Block::Sublayer(Stack::Encoder, 0, Sublayer::SelfAttention);

static TRACE: LazyLock<Trace> = LazyLock::new(make);

fn make() -> Trace {
    let queries = queries();
    let keys = [0, 1].map(|column| key(&queries, [SCORES[0][column], SCORES[1][column]]));
    let values = [pattern(11), pattern(13)];
    let tensor = |rows: &[Vec<f32>; 2]| {
        Tensor::<3>::from_data(TensorData::new(rows.concat(), [1, 2, D_K]), &Device::flex())
    };
    let mut tap = Tap::recording(Quantities::all());
    let mut rows = |quantity, rows| {
        let rows = tensor(rows);
        tap_heads(&mut tap, ATTENTION.at(quantity), rows, D_K, 1)
    };
    let rows = [
        rows(Quantity::Query, &queries),
        rows(Quantity::Key, &keys),
        rows(Quantity::Value, &values),
    ];
    attend(rows, 1, None, &mut tap, ATTENTION);
    let (arrays, _) = pollster::block_on(tap.read(vec![])).unwrap();
    let token = |id, text: &str| Token {
        id,
        text: text.to_owned(),
        unknown: false,
    };
    Trace {
        arrays,
        ..Trace::new(TraceMeta {
            spec: spec(),
            source: vec![token(0, "▁Thinking"), token(1, "▁Machines")],
            target: vec![],
            pieces: attention_trace::Pieces::default(),
        })
    }
}

/// Returns the specification of one attention with one head, without positions.
fn spec() -> ModelSpec {
    let config = MarianConfig {
        vocab_size: 2,
        d_model: D_K,
        encoder_layers: 1,
        encoder_attention_heads: 1,
        encoder_ffn_dim: 4 * D_K,
        max_position_embeddings: 2,
        scale_embedding: Some(false),
        ..MarianConfig::default()
    };
    ModelSpec {
        model_type: "lecture".into(),
        decoder: None,
        positions: PositionalEncoding::None.into(),
        output_bias: false,
        generates: Generates::Nothing,
        ..config.spec()
    }
}

/// Returns quarters between −2 and 2 in no apparent order, so that sums are exact in f32.
fn pattern(seed: usize) -> Vec<f32> {
    let quarters = |index: usize| ((index * 7 + 1) * (seed * 13 + index) % 17) as f32 - 8.0;
    (0..D_K).map(|index| quarters(index) / 4.0).collect()
}

/// Returns two patterns; the first dimension is non-zero only in the first query, the second only in the second.
fn queries() -> [Vec<f32>; 2] {
    let (mut first, mut second) = (pattern(3), pattern(5));
    (first[0], first[1]) = (2.0, 0.0);
    (second[0], second[1]) = (0.0, 2.0);
    [first, second]
}

/// Returns the key that has these products with the queries: the combination of them with those products, rounded to
/// quarters, with the rounding error corrected in each query's own dimension.
fn key(queries: &[Vec<f32>; 2], wanted: [f32; 2]) -> Vec<f32> {
    let [first, second] = queries;
    let (a, b, d) = (dot(first, first), dot(first, second), dot(second, second));
    let determinant = a * d - b * b;
    let along_first = (wanted[0] * d - wanted[1] * b) / determinant;
    let along_second = (wanted[1] * a - wanted[0] * b) / determinant;
    let quarter = |value: f32| (value * 4.0).round() / 4.0;
    let mut key: Vec<f32> = first
        .iter()
        .zip(second)
        .map(|(first, second)| quarter(along_first * first + along_second * second))
        .collect();
    for own in [0, 1] {
        let missing = wanted[own] - dot(&queries[own], &key);
        key[own] += missing / queries[own][own];
    }
    key
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn array(quantity: Quantity) -> &'static Array {
    TRACE.array(ATTENTION.at(quantity)).unwrap()
}

/// Returns the row of the first word, "Thinking", over both words.
fn first_row(quantity: Quantity) -> &'static [f32] {
    array(quantity).row(&[0, 0]).unwrap()
}

#[test]
fn thinking_machines_scores_are_112_and_96() {
    assert_eq!(first_row(Quantity::Scores), [112.0, 96.0]);
}

#[test]
fn thinking_machines_scores_divided_by_8_are_14_and_12() {
    assert_eq!((D_K as f32).sqrt(), 8.0);
    assert_eq!(first_row(Quantity::ScaledScores), [14.0, 12.0]);
}

#[test]
fn thinking_machines_weights_are_0_88_and_0_12() {
    let rounded: Vec<String> = first_row(Quantity::Pattern)
        .iter()
        .map(|weight| format!("{weight:.2}"))
        .collect();
    assert_eq!(rounded, ["0.88", "0.12"]);
}

#[test]
fn thinking_machines_z1_is_the_sum_of_the_weighted_values() {
    let (weights, values) = (
        first_row(Quantity::Pattern),
        array(Quantity::Value).matrix(0).unwrap(),
    );
    for (column, z) in first_row(Quantity::Z).iter().enumerate() {
        let sum = weights[0] * values[column] + weights[1] * values[D_K + column];
        assert!((z - sum).abs() < 1e-6, "{column}: {z} and {sum}");
    }
}

#[test]
fn the_stored_example_is_what_the_model_computes() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../assets/examples/thinking-machines.safetensors");
    if env::var_os("BLESS").is_some() {
        fs::write(&path, TRACE.to_safetensors().unwrap()).unwrap();
    }
    let stored = Trace::from_safetensors(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(stored.meta, TRACE.meta);
    let near = |(one, other): (&f32, &f32)| (one - other).abs() < 1e-6;
    let same = |arrays: &BTreeMap<Site, Array>| {
        arrays.iter().all(|(&site, array)| {
            let stored = stored.array(site);
            stored.is_some_and(|stored| {
                stored.shape == array.shape && stored.data.iter().zip(&array.data).all(near)
            })
        })
    };
    assert!(same(&TRACE.arrays));
}
