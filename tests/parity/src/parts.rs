//! Data that the page requests after a run: parameters of a checkpoint, and arrays that the run did not record.

use attention_model::checkpoint::Checkpoint;
use attention_model::decoding::{Progress, Sequence};
use attention_model::inference::RunOptions;
use attention_trace::{Array, Block, Quantities, Quantity, Search, Site, Slice};
use burn::prelude::*;
use pollster::block_on;

use std::collections::BTreeMap;

use crate::fixture::tiny;

const TEXT: &str = "a b c";

fn parameter(checkpoint: &Checkpoint, name: &str, slice: Slice) -> Option<(Vec<usize>, Vec<f32>)> {
    let parameter = name.parse().unwrap_or_else(|error| panic!("{error}"));
    let part = block_on(checkpoint.parameter(parameter, slice)).unwrap()?;
    Some((part.shape, part.data))
}

fn arrays(
    checkpoint: &Checkpoint,
    sequences: &[Sequence],
    sites: &[Site],
) -> BTreeMap<Site, Array> {
    let sites = sites.iter().copied().collect();
    let device = Device::flex();
    block_on(checkpoint.arrays(TEXT, sequences, &sites, &[], &device)).unwrap()
}

/// Computes `x · Wᵀ + b` with a parameter's rows as outputs, as in PyTorch.
fn project(x: &[f32], weights: &[f32], bias: Option<&[f32]>) -> Vec<f32> {
    weights
        .chunks_exact(x.len())
        .enumerate()
        .map(|(output, row)| {
            let sum: f32 = row.iter().zip(x).map(|(weight, x)| weight * x).sum();
            sum + bias.map_or(0.0, |bias| bias[output])
        })
        .collect()
}

#[test]
fn every_array_of_a_pass_can_be_had_alone() {
    for name in [
        "marian-tiny",
        "llama-tiny",
        "qwen3",
        "gpt2-tiny",
        "t5-v1_0",
        "t5-v1_1",
        "bert-tiny",
    ] {
        let checkpoint = tiny(name);
        let device = Device::flex();
        let options = RunOptions {
            search: Search::Greedy,
            prefix: vec![],
            max_new_tokens: 4,
            quantities: Quantities::all(),
            edits: vec![],
        };
        let watch = async |_: Progress<'_>| true;
        let sequences = block_on(checkpoint.decode(TEXT, &options, &device, watch)).unwrap();
        let trace = block_on(checkpoint.trace(TEXT, &sequences, &options, &device)).unwrap();
        for (&site, array) in &trace.arrays {
            let alone = arrays(&checkpoint, &sequences, &[site]);
            assert_eq!(alone, BTreeMap::from([(site, array.clone())]), "{site}");
        }
        let all: Vec<Site> = trace.arrays.keys().copied().collect();
        assert_eq!(arrays(&checkpoint, &sequences, &all), trace.arrays);
        // What a model computes is what it says it does.
        let mut named: Vec<_> = checkpoint.spec().sites().collect();
        named.sort_unstable();
        assert_eq!(named, all);
    }
}

#[test]
fn what_no_pass_computes_is_not_there() {
    let sites = [
        "decoder.0.self.thumbnail",
        "decoder.9.self.z",
        "encoder.0.cross.z",
    ];
    let sites = sites.map(|name| name.parse().unwrap());
    assert_eq!(arrays(&tiny("marian-tiny"), &[], &sites), BTreeMap::new());
}

#[test]
fn the_recorded_query_is_the_input_times_the_parameter() {
    for (name, block, query) in [
        ("marian-tiny", "encoder.0.self", Quantity::Query),
        ("llama-tiny", "decoder.0.self", Quantity::QueryBeforeRope),
        ("qwen2", "decoder.1.self", Quantity::QueryBeforeRope),
        ("qwen3", "decoder.1.self", Quantity::QueryBeforeNorm),
        ("gpt2-tiny", "decoder.1.self", Quantity::Query),
        ("t5-v1_1", "encoder.1.self", Quantity::Query),
        ("bert-tiny", "encoder.1.self", Quantity::Query),
    ] {
        let checkpoint = tiny(name);
        let at: Block = block.parse().unwrap();
        let (input, query) = (checkpoint.spec().sublayer_input(at), at.at(query));
        let arrays = arrays(&checkpoint, &[], &[input, query]);
        let (input, query) = (&arrays[&input], &arrays[&query]);
        let parameter =
            |weight: &str| parameter(&checkpoint, &format!("{block}.{weight}"), Slice::Whole);
        let (weights, bias) = (parameter("w_q"), parameter("b_q"));
        assert_eq!(
            bias.is_some(),
            !["llama-tiny", "qwen3", "t5-v1_1"].contains(&name),
            "{name}"
        );
        let bias = bias.as_ref().map(|(_, bias)| bias.as_slice());
        let projected = project(input.row(&[0]).unwrap(), &weights.unwrap().1, bias);
        let width = query.shape[2];
        for (head, projected) in projected.chunks_exact(width).enumerate() {
            let recorded = query.row(&[head, 0]).unwrap();
            for (one, other) in recorded.iter().zip(projected) {
                assert!((one - other).abs() < 1e-5, "{name}: {one} and {other}");
            }
        }
    }
}

fn mean(values: impl ExactSizeIterator<Item = f32>) -> f32 {
    let count = values.len() as f32;
    values.sum::<f32>() / count
}

/// Qwen3's queries and keys, head by head, equal the parts that the page explains them by.
#[test]
fn qwen3_normalises_each_heads_queries_and_keys() {
    let checkpoint = tiny("qwen3");
    let at: Block = "decoder.1.self".parse().unwrap();
    for (before, after, gain) in [
        (
            Quantity::QueryBeforeNorm,
            Quantity::QueryBeforeRope,
            "query_norm_gain",
        ),
        (
            Quantity::KeyBeforeNorm,
            Quantity::KeyBeforeRope,
            "key_norm_gain",
        ),
    ] {
        let arrays = arrays(&checkpoint, &[], &[at.at(before), at.at(after)]);
        let (_, gain) = parameter(&checkpoint, &format!("{at}.{gain}"), Slice::Whole).unwrap();
        let (before, after) = (&arrays[&at.at(before)], &arrays[&at.at(after)]);
        let rows = before
            .data
            .chunks(gain.len())
            .zip(after.data.chunks(gain.len()));
        for (before, after) in rows {
            let spread = (mean(before.iter().map(|x| x * x)) + 1e-6).sqrt();
            for ((before, gain), after) in before.iter().zip(&gain).zip(after) {
                assert!((before / spread * gain - after).abs() < 1e-5, "{after}");
            }
        }
    }
}

/// The input of BERT's first layer equals the parts that the page explains it by.
#[test]
fn berts_embedding_is_a_normalised_sum_of_three_rows() {
    for (name, epsilon) in [("bert-tiny", 1e-12), ("bert-relu", 1e-5)] {
        let checkpoint = tiny(name);
        let site = |name: &str| name.parse::<Site>().unwrap();
        let (token, embedding) = (site("encoder.token_embedding"), site("encoder.embedding"));
        let arrays = arrays(&checkpoint, &[], &[token, embedding]);
        let parameter = |name: &str| {
            let name = format!("encoder.{name}");
            parameter(&checkpoint, &name, Slice::Whole).unwrap().1
        };
        let [segments, positions] = ["segment_table", "position_table"].map(parameter);
        let [gain, bias] = ["embedding_norm_gain", "embedding_norm_bias"].map(parameter);
        let width = gain.len();
        let rows = arrays[&token]
            .data
            .chunks(width)
            .zip(arrays[&embedding].data.chunks(width));
        for ((token, found), position) in rows.zip(positions.chunks(width)) {
            let sum: Vec<f32> = (0..width)
                .map(|column| token[column] + segments[column] + position[column])
                .collect();
            let mean_of_sum = mean(sum.iter().copied());
            let variance = mean(sum.iter().map(|x| (x - mean_of_sum).powi(2)));
            for column in 0..width {
                let normed = (sum[column] - mean_of_sum) / (variance + epsilon).sqrt();
                let expected = normed * gain[column] + bias[column];
                assert!(
                    (found[column] - expected).abs() < 1e-4,
                    "{name}: {expected}"
                );
            }
        }
    }
}

#[test]
fn rows_of_the_embedding_table_are_those_of_the_whole() {
    let checkpoint = tiny("marian-tiny");
    let spec = checkpoint.spec();
    let width = spec.width;
    let name = "token_table";
    let (shape, whole) = parameter(&checkpoint, name, Slice::Whole).unwrap();
    assert_eq!(shape, [spec.vocabulary, width]);
    let (shape, rows) = parameter(&checkpoint, name, Slice::Rows(2, 5)).unwrap();
    assert_eq!(shape, [3, width]);
    assert_eq!(rows, whole[2 * width..5 * width]);
    let beyond = Slice::Rows(0, usize::MAX);
    assert_eq!(parameter(&checkpoint, name, beyond), None);
    assert_eq!(parameter(&checkpoint, name, Slice::Head(0)), None);
    assert_eq!(parameter(&checkpoint, "bias_table", Slice::Whole), None);
}

/// The keys and values of GPT-2 equal the products with parts of one matrix.
#[test]
fn a_fused_matrix_is_cut_into_those_that_it_is_made_of() {
    let checkpoint = tiny("gpt2-tiny");
    let at: Block = "decoder.1.self".parse().unwrap();
    let input = checkpoint.spec().sublayer_input(at);
    for (quantity, weight, bias) in [
        (Quantity::Key, "w_k", "b_k"),
        (Quantity::Value, "w_v", "b_v"),
    ] {
        let arrays = arrays(&checkpoint, &[], &[input, at.at(quantity)]);
        let parameter = |name| parameter(&checkpoint, &format!("{at}.{name}"), Slice::Whole);
        let ((shape, weights), (_, bias)) = (parameter(weight).unwrap(), parameter(bias).unwrap());
        assert_eq!(shape, [24, 24]);
        let projected = project(arrays[&input].row(&[2]).unwrap(), &weights, Some(&bias));
        for (head, projected) in projected.chunks_exact(8).enumerate() {
            let recorded = arrays[&at.at(quantity)].row(&[head, 2]).unwrap();
            let difference = crate::run::largest_difference(recorded, projected);
            assert!(difference < 1e-5, "{weight}: {difference}");
        }
    }
}

#[test]
fn a_vector_is_a_matrix_of_one_row() {
    let checkpoint = tiny("llama-tiny");
    let name = "decoder.0.self.norm_gain";
    let (shape, _) = parameter(&checkpoint, name, Slice::Whole).unwrap();
    assert_eq!(shape[0], 1);
}
