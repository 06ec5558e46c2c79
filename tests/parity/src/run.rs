//! Running a model on token numbers, with the requested arrays recorded.

use std::collections::BTreeMap;

use attention_model::checkpoint::Checkpoint;
use attention_model::sequence::{SequenceModel, Source};
use attention_model::tap::Tap;
use attention_trace::{Array, Generates, Quantities, Site};
use burn::prelude::*;

/// One sequence: encoder input (empty for a decoder-only model) and decoder input.
#[derive(Clone, Debug, Default)]
pub struct Input {
    pub source: Vec<u32>,
    /// The number of padding tokens after the source.
    pub padding: usize,
    /// The segment of each token of the source; empty if all are in the first.
    pub segments: Vec<u32>,
    pub target: Vec<u32>,
}

/// The results of a pass.
pub struct Outcome {
    /// The logits after every token, `[target, vocabulary]`; none if the model makes none.
    pub logits: Array,
    /// The recorded arrays, by place.
    pub arrays: BTreeMap<Site, Array>,
}

impl Outcome {
    pub fn array(&self, name: &str) -> &Array {
        let site = name.parse().unwrap_or_else(|error| panic!("{error}"));
        self.arrays
            .get(&site)
            .unwrap_or_else(|| panic!("no {name}"))
    }
}

/// Runs one pass over all positions at once.
pub fn run(checkpoint: &Checkpoint, input: &Input, wanted: Quantities) -> Outcome {
    run_with(checkpoint, input, Tap::recording(wanted))
}

/// Runs [`run`] with a tap that records and edits.
pub fn run_with(checkpoint: &Checkpoint, input: &Input, mut tap: Tap) -> Outcome {
    let model = &*checkpoint.model;
    let spec = model.spec();
    let source = spec.reads_source().then(|| source(model, input));
    let target = spec
        .decoder
        .is_some()
        .then(|| batch(std::slice::from_ref(&input.target)));
    let states = model.read(source, target, &mut tap);
    if spec.generates == Generates::Nothing {
        let (arrays, _) = pollster::block_on(tap.read(vec![])).unwrap();
        let (shape, data) = (vec![0], vec![]);
        return Outcome {
            logits: Array { shape, data },
            arrays,
        };
    }
    let logits = model.logits(states.flatten(0, 1));
    let shape = logits.dims().to_vec();
    let (arrays, mut also) = pollster::block_on(tap.read(vec![logits.flatten(0, 1)])).unwrap();
    let data = also.remove(0);
    Outcome {
        logits: Array { shape, data },
        arrays,
    }
}

/// Returns a source with its padding.
pub fn source(model: &dyn SequenceModel, input: &Input) -> Source {
    let mut tokens = input.source.clone();
    tokens.resize(tokens.len() + input.padding, padding_token(model));
    let mask: Vec<bool> = (0..tokens.len()).map(|i| i >= input.source.len()).collect();
    let mask = Tensor::<1, Bool>::from_data(mask.as_slice(), &Device::flex()).unsqueeze();
    Source {
        tokens: batch(&[tokens]),
        padding: (input.padding > 0).then_some(mask),
        segments: (!input.segments.is_empty())
            .then(|| batch(std::slice::from_ref(&input.segments))),
    }
}

fn padding_token(model: &dyn SequenceModel) -> u32 {
    model.control().padding.expect("a padding token")
}

/// Computes the logits of several sequences run as one padded batch, `[batch, target, vocabulary]`.
pub fn run_batch(model: &dyn SequenceModel, sources: &[Vec<u32>], targets: &[Vec<u32>]) -> Array {
    let longest = sources.iter().map(Vec::len).max().unwrap();
    let padded: Vec<Vec<u32>> = sources
        .iter()
        .map(|source| {
            let mut source = source.clone();
            source.resize(longest, padding_token(model));
            source
        })
        .collect();
    let mask: Vec<bool> = sources
        .iter()
        .flat_map(|source| (0..longest).map(|i| i >= source.len()))
        .collect();
    let mask = TensorData::new(mask, [sources.len(), longest]);
    let source = Source {
        tokens: batch(&padded),
        padding: Some(Tensor::from_data(mask, &Device::flex())),
        segments: None,
    };
    let states = model.read(Some(source), Some(batch(targets)), &mut Tap::quiet());
    let [rows, length, _] = states.dims();
    let logits = model.logits(states.flatten(0, 1));
    let vocabulary = logits.dims()[1];
    Array {
        shape: vec![rows, length, vocabulary],
        data: values(logits),
    }
}

/// Computes the logits of a model whose decoder reads the target in pieces of the given lengths.
pub fn run_in_pieces(model: &dyn SequenceModel, input: &Input, pieces: &[usize]) -> Vec<f32> {
    let tap = &mut Tap::quiet();
    let source = model.spec().reads_source().then(|| source(model, input));
    let mut state = model.start(source, tap);
    cut(&input.target, pieces)
        .flat_map(|piece| {
            let states = model.advance(batch(&[piece.to_vec()]), &mut state, tap);
            values(model.logits(states.flatten(0, 1)))
        })
        .collect()
}

/// Cuts `tokens` into pieces of the given lengths; the last piece is the rest.
fn cut<'a>(tokens: &'a [u32], pieces: &'a [usize]) -> impl Iterator<Item = &'a [u32]> {
    let mut rest = tokens;
    let lengths = pieces.iter().copied().chain([usize::MAX]);
    lengths.map_while(move |length| {
        let (piece, after) = rest.split_at(length.clamp(1, rest.len().max(1)).min(rest.len()));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Returns sequences of one length as `[sequences, length]`.
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

/// Returns the largest absolute difference between two arrays of one length. Equal infinities differ by nothing, NaN by
/// infinity.
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

/// Returns the largest difference relative to the largest value.
pub fn relative(a: &[f32], b: &[f32]) -> f32 {
    let scale = b.iter().fold(1.0_f32, |scale, b| scale.max(b.abs()));
    largest_difference(a, b) / scale
}
