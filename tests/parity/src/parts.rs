//! What the page asks for after a run: parameters of a checkpoint, and arrays that the run did not
//! record.

use attention_model::checkpoint::{Checkpoint, Model};
use attention_model::inference::RunOptions;
use attention_trace::{Excerpt, Family, Quantities, Search, Slice};
use burn::prelude::*;
use pollster::block_on;

use crate::fixture::tiny;

const TEXT: &str = "a b c";

fn parameter(checkpoint: &Checkpoint, name: &str, slice: Slice) -> Option<(Vec<usize>, Vec<f32>)> {
    let part = block_on(checkpoint.parameter(&Excerpt::new(name, slice))).unwrap()?;
    Some((part.shape, part.data))
}

/// `x · Wᵀ + b` with a parameter's rows as outputs, as PyTorch has them.
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
    for name in ["marian-tiny", "llama-tiny"] {
        let checkpoint = tiny(name);
        let device = Device::flex();
        let options = RunOptions {
            search: Search::Greedy,
            prefix: vec![],
            max_new_tokens: 4,
            quantities: Quantities::all(),
        };
        let watch = async |_: &[u32]| true;
        let sequences = block_on(checkpoint.decode(TEXT, &options, &device, watch)).unwrap();
        let trace = block_on(checkpoint.trace(TEXT, &sequences, &options, &device)).unwrap();
        for (name, array) in &trace.arrays {
            let alone = block_on(checkpoint.array(TEXT, &sequences, name, None, &device)).unwrap();
            assert_eq!(alone.as_ref(), Some(array), "{name}");
        }
        let unknown =
            block_on(checkpoint.array(TEXT, &sequences, "no.such", None, &device)).unwrap();
        assert_eq!(unknown, None);
    }
}

#[test]
fn the_recorded_query_is_the_input_times_the_parameter() {
    for name in ["marian-tiny", "llama-tiny"] {
        let checkpoint = tiny(name);
        let device = Device::flex();
        let record = |array: &str| {
            block_on(checkpoint.array(TEXT, &[], array, None, &device))
                .unwrap()
                .unwrap_or_else(|| panic!("{array}"))
        };
        let (attention, input, query) = match checkpoint.family() {
            Family::Marian => (
                "model.encoder.layers.0.self_attn",
                "model.encoder.embeddings",
                "query",
            ),
            Family::Llama => (
                "model.layers.0.self_attn",
                "model.layers.0.input_layernorm.output",
                "unrotated_query",
            ),
        };
        let (input, query) = (record(input), record(&format!("{attention}.{query}")));
        let weights = parameter(
            &checkpoint,
            &format!("{attention}.q_proj.weight"),
            Slice::Whole,
        );
        let bias = parameter(
            &checkpoint,
            &format!("{attention}.q_proj.bias"),
            Slice::Whole,
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

#[test]
fn rows_of_the_embedding_table_are_those_of_the_whole() {
    let checkpoint = tiny("marian-tiny");
    let Model::Marian(model) = &checkpoint.model else {
        panic!("not a Marian model");
    };
    let width = model.config().d_model;
    let name = "model.shared.weight";
    let (shape, whole) = parameter(&checkpoint, name, Slice::Whole).unwrap();
    assert_eq!(shape, [model.config().vocab_size, width]);
    let (shape, rows) = parameter(&checkpoint, name, Slice::Rows(2, 5)).unwrap();
    assert_eq!(shape, [3, width]);
    assert_eq!(rows, whole[2 * width..5 * width]);
    let beyond = Slice::Rows(0, usize::MAX);
    assert_eq!(parameter(&checkpoint, name, beyond), None);
    assert_eq!(parameter(&checkpoint, name, Slice::Head(0)), None);
    assert_eq!(parameter(&checkpoint, "no.such", Slice::Whole), None);
}

#[test]
fn a_vector_is_a_matrix_of_one_row() {
    let checkpoint = tiny("llama-tiny");
    let name = "model.layers.0.input_layernorm.weight";
    let (shape, _) = parameter(&checkpoint, name, Slice::Whole).unwrap();
    assert_eq!(shape[0], 1);
}
