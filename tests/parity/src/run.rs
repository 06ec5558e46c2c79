//! Running a model on token numbers, with everything recorded that is asked for.

use std::collections::BTreeMap;

use attention_model::checkpoint::{Checkpoint, Model};
use attention_model::llama::Llama;
use attention_model::marian::{Marian, Memory};
use attention_model::pass::Pass;
use attention_trace::{Array, Quantities};
use burn::prelude::*;

/// One sequence: encoder input (empty for a decoder-only model) and decoder input.
#[derive(Clone, Debug, Default)]
pub struct Input {
    pub source: Vec<u32>,
    /// Tokens of padding after the source.
    pub padding: usize,
    pub target: Vec<u32>,
}

/// What a pass computed.
pub struct Outcome {
    /// `[target, vocabulary]`
    pub logits: Array,
    /// By their names in a trace.
    pub arrays: BTreeMap<String, Array>,
}

/// One pass over all positions at once.
pub fn run(checkpoint: &Checkpoint, input: &Input, wanted: Quantities) -> Outcome {
    let mut pass = Pass::recording(wanted);
    let logits = match &checkpoint.model {
        Model::Marian(marian) => {
            let memory = encode(marian, input, &mut pass);
            let target = batch(std::slice::from_ref(&input.target));
            let states = marian.decode(target, &memory, &mut marian.cache(), &mut pass);
            marian.logits(states.flatten(0, 1))
        }
        Model::Llama(llama) => {
            let target = batch(std::slice::from_ref(&input.target));
            let states = llama.forward(target, &mut llama.cache(), &mut pass);
            llama.logits(states.flatten(0, 1))
        }
    };
    let shape = logits.dims().to_vec();
    let (arrays, mut also) = pollster::block_on(pass.read(vec![logits.flatten(0, 1)])).unwrap();
    let data = also.remove(0);
    Outcome {
        logits: Array { shape, data },
        arrays,
    }
}

/// The encoder's output for a source and its padding.
pub fn encode(marian: &Marian, input: &Input, pass: &mut Pass) -> Memory {
    let padding_token = marian.config().pad_token_id;
    let mut source = input.source.clone();
    source.resize(source.len() + input.padding, padding_token);
    let mask: Vec<bool> = (0..source.len()).map(|i| i >= input.source.len()).collect();
    let mask = Tensor::<1, Bool>::from_data(mask.as_slice(), &Device::flex()).unsqueeze();
    marian.encode(batch(&[source]), (input.padding > 0).then_some(mask), pass)
}

/// Logits of several sequences run as one padded batch, `[batch, target, vocabulary]`.
pub fn run_batch(marian: &Marian, sources: &[Vec<u32>], targets: &[Vec<u32>]) -> Array {
    let longest = sources.iter().map(Vec::len).max().unwrap();
    let padded: Vec<Vec<u32>> = sources
        .iter()
        .map(|source| {
            let mut source = source.clone();
            source.resize(longest, marian.config().pad_token_id);
            source
        })
        .collect();
    let mask: Vec<bool> = sources
        .iter()
        .flat_map(|source| (0..longest).map(|i| i >= source.len()))
        .collect();
    let mask = Tensor::from_data(
        TensorData::new(mask, [sources.len(), longest]),
        &Device::flex(),
    );
    let pass = &mut Pass::quiet();
    let memory = marian.encode(batch(&padded), Some(mask), pass);
    let states = marian.decode(batch(targets), &memory, &mut marian.cache(), pass);
    let [rows, length, _] = states.dims();
    let logits = marian.logits(states.flatten(0, 1));
    let vocabulary = logits.dims()[1];
    Array {
        shape: vec![rows, length, vocabulary],
        data: values(logits),
    }
}

/// The logits of a decoder-only model that reads `tokens` in pieces of the given lengths.
pub fn run_llama_in_pieces(llama: &Llama, tokens: &[u32], pieces: &[usize]) -> Vec<f32> {
    let mut cache = llama.cache();
    cut(tokens, pieces)
        .flat_map(|piece| {
            let states = llama.forward(batch(&[piece.to_vec()]), &mut cache, &mut Pass::quiet());
            values(llama.logits(states.flatten(0, 1)))
        })
        .collect()
}

/// As `run_llama_in_pieces`, of a decoder that reads `input.target`.
pub fn run_marian_in_pieces(marian: &Marian, input: &Input, pieces: &[usize]) -> Vec<f32> {
    let memory = encode(marian, input, &mut Pass::quiet());
    let mut cache = marian.cache();
    cut(&input.target, pieces)
        .flat_map(|piece| {
            let tokens = batch(&[piece.to_vec()]);
            let states = marian.decode(tokens, &memory, &mut cache, &mut Pass::quiet());
            values(marian.logits(states.flatten(0, 1)))
        })
        .collect()
}

/// `tokens` in pieces of the given lengths, the last one whatever is left.
fn cut<'a>(tokens: &'a [u32], pieces: &'a [usize]) -> impl Iterator<Item = &'a [u32]> {
    let mut rest = tokens;
    let lengths = pieces.iter().copied().chain([usize::MAX]);
    lengths.map_while(move |length| {
        let (piece, after) = rest.split_at(length.clamp(1, rest.len().max(1)).min(rest.len()));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Sequences of one length as `[sequences, length]`.
pub fn batch(sequences: &[Vec<u32>]) -> Tensor<2, Int> {
    let shape = [sequences.len(), sequences[0].len()];
    let tokens: Vec<i32> = sequences
        .iter()
        .flatten()
        .map(|&token| token as i32)
        .collect();
    Tensor::from_data(TensorData::new(tokens, shape), &Device::flex())
}

pub fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().unwrap()
}

/// The largest absolute difference between two arrays of one length. Equal infinities differ by
/// nothing, NaN by infinity.
pub fn largest_difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |largest, (a, b)| {
        let difference = if a == b { 0.0 } else { (a - b).abs() };
        if difference.is_nan() {
            f32::INFINITY
        } else {
            largest.max(difference)
        }
    })
}
