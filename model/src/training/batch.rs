//! Batches of sentences of similar length.

use burn::prelude::*;
use rand::seq::SliceRandom;
use rand::{SeedableRng, rngs::StdRng};

use crate::sequence::Source;

/// A tokenised example.
#[derive(Clone, Debug)]
pub struct Encoded {
    /// Source tokens; empty for a language model.
    pub source: Vec<u32>,
    /// What the decoder reads, start token included.
    pub input: Vec<u32>,
    /// For each token of `input`, what is to be predicted there, if anything.
    pub labels: Vec<Option<u32>>,
}

impl Encoded {
    /// An example whose every next token is to be predicted: `target`, read behind `start`.
    pub fn shifted(source: Vec<u32>, start: u32, target: &[u32]) -> Self {
        Encoded {
            source,
            input: [&[start], &target[..target.len().saturating_sub(1)]].concat(),
            labels: target.iter().copied().map(Some).collect(),
        }
    }

    /// Number of tokens to predict.
    pub fn predicted(&self) -> usize {
        self.labels.iter().flatten().count()
    }
}

/// Deals `examples` into batches of at most `batch_tokens` tokens, padding included, each of
/// sentences of similar length, in an order that `seed` decides.
pub fn deal(examples: &[Encoded], batch_tokens: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut order: Vec<usize> = (0..examples.len()).collect();
    // Shuffled first, so that sentences of one length meet others each epoch.
    order.shuffle(&mut rng);
    order.sort_by_key(|&i| (examples[i].input.len(), examples[i].source.len()));
    let mut batches = vec![];
    let mut batch: Vec<usize> = vec![];
    let (mut source, mut target) = (0, 0);
    for index in order {
        let example = &examples[index];
        let wider = (
            source.max(example.source.len()),
            target.max(example.input.len()),
        );
        if !batch.is_empty() && (batch.len() + 1) * (wider.0 + wider.1) > batch_tokens {
            batches.push(std::mem::take(&mut batch));
            (source, target) = (example.source.len(), example.input.len());
        } else {
            (source, target) = wider;
        }
        batch.push(index);
    }
    batches.extend((!batch.is_empty()).then_some(batch));
    batches.shuffle(&mut rng);
    batches
}

/// A padded batch on a device.
pub struct Batch {
    /// `[batch, source]`; `None` for a language model.
    pub source: Option<Tensor<2, Int>>,
    /// `[batch, source]`, true at padding.
    pub source_padding: Option<Tensor<2, Bool>>,
    /// Decoder input: `[batch, target]`.
    pub input: Tensor<2, Int>,
    /// Where, in the flattened `[batch * target]`, a token is to be predicted: `[tokens]`.
    pub predicted: Tensor<1, Int>,
    /// The tokens to predict there: `[tokens]`.
    pub labels: Tensor<1, Int>,
    /// Number of tokens to predict.
    pub tokens: usize,
}

impl Batch {
    /// What an encoder reads. A language model's batch has no source: an encoder then reads the first token alone.
    pub fn source(&self) -> Source {
        Source {
            tokens: (self.source.clone()).unwrap_or_else(|| self.input.clone().narrow(1, 0, 1)),
            padding: self.source_padding.clone(),
            segments: None,
        }
    }

    /// Pads `examples` with `pad`.
    pub fn new(examples: &[&Encoded], pad: u32, device: &Device) -> Self {
        let rows = examples.len();
        let sources: Vec<&[u32]> = examples.iter().map(|e| e.source.as_slice()).collect();
        let (tokens, padding, width) = padded(&sources, pad);
        let has_source = width > 0;
        let source =
            has_source.then(|| Tensor::from_data(TensorData::new(tokens, [rows, width]), device));
        let source_padding = (has_source && padding.contains(&true))
            .then(|| Tensor::from_data(TensorData::new(padding, [rows, width]), device));

        let inputs: Vec<&[u32]> = examples.iter().map(|e| e.input.as_slice()).collect();
        let (input, _, width) = padded(&inputs, pad);
        let (predicted, labels): (Vec<i32>, Vec<i32>) = examples
            .iter()
            .enumerate()
            .flat_map(|(row, example)| {
                let labels = example.labels.iter().enumerate();
                labels.filter_map(move |(column, label)| {
                    Some(((row * width + column) as i32, (*label)? as i32))
                })
            })
            .unzip();
        let count = labels.len();
        Batch {
            source,
            source_padding,
            input: Tensor::from_data(TensorData::new(input, [rows, width]), device),
            predicted: Tensor::from_data(TensorData::new(predicted, [count]), device),
            labels: Tensor::from_data(TensorData::new(labels, [count]), device),
            tokens: count,
        }
    }
}

fn padded(rows: &[&[u32]], pad: u32) -> (Vec<i32>, Vec<bool>, usize) {
    let width = rows.iter().map(|row| row.len()).max().unwrap_or(0);
    let mut tokens = vec![pad as i32; rows.len() * width];
    let mut padding = vec![true; rows.len() * width];
    for (row, values) in rows.iter().enumerate() {
        for (column, &token) in values.iter().enumerate() {
            tokens[row * width + column] = token as i32;
            padding[row * width + column] = false;
        }
    }
    (tokens, padding, width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_example_is_dealt_once_and_batches_fit(
            lengths in prop::collection::vec((1usize..20, 1usize..20), 1..60),
            seed in any::<u64>(),
        ) {
            let examples: Vec<Encoded> = lengths
                .iter()
                .map(|&(s, t)| Encoded::shifted(vec![3; s], 0, &vec![3; t]))
                .collect();
            let batches = deal(&examples, 64, seed);
            let mut dealt: Vec<usize> = batches.concat();
            dealt.sort_unstable();
            prop_assert_eq!(dealt, (0..examples.len()).collect::<Vec<_>>());
            for batch in &batches {
                let widest = |length: fn(&Encoded) -> usize| batch.iter().map(|&i| length(&examples[i])).max().unwrap();
                let area = batch.len() * (widest(|e| e.source.len()) + widest(|e| e.input.len()));
                prop_assert!(area <= 64 || batch.len() == 1);
            }
            prop_assert_eq!(deal(&examples, 64, seed), batches);
        }
    }

    #[test]
    fn targets_are_shifted_and_padding_is_not_predicted() {
        let a = Encoded::shifted(vec![5, 1], 0, &[6, 7, 1]);
        let b = Encoded::shifted(vec![5, 6, 1], 0, &[1]);
        let batch = Batch::new(&[&a, &b], 0, &Device::flex());
        let ints = |t: Tensor<2, Int>| {
            t.into_data()
                .convert::<i64>()
                .try_into_vec::<i64>()
                .unwrap()
        };
        assert_eq!(ints(batch.input), [0, 6, 7, 0, 0, 0]);
        let predicted = batch
            .predicted
            .into_data()
            .convert::<i64>()
            .try_into_vec::<i64>()
            .unwrap();
        assert_eq!(predicted, [0, 1, 2, 3]);
        assert_eq!(batch.tokens, 4);
    }

    #[test]
    fn only_labelled_places_are_predicted() {
        let unlabelled = Encoded {
            source: vec![],
            input: vec![1, 5, 6],
            labels: vec![None, None, Some(5)],
        };
        let batch = Batch::new(&[&unlabelled, &unlabelled], 0, &Device::flex());
        let ints = |t: Tensor<1, Int>| {
            t.into_data()
                .convert::<i64>()
                .try_into_vec::<i64>()
                .unwrap()
        };
        assert_eq!(ints(batch.predicted), [2, 5]);
        assert_eq!(ints(batch.labels), [5, 5]);
        assert_eq!((batch.tokens, unlabelled.predicted()), (2, 1));
    }
}
