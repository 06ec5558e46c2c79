//! Examples as tokens, and batches of them.

use burn::prelude::*;

use crate::sequence::Source;

/// An example as tokens, with labels.
#[derive(Clone, Debug)]
pub struct Encoded {
    /// Source tokens; empty for a language model.
    pub source: Vec<u32>,
    /// The tokens that the decoder reads, start token included.
    pub input: Vec<u32>,
    /// The token to predict at each token of `input`, if any.
    pub labels: Vec<Option<u32>>,
}

impl Encoded {
    /// Creates an example in which every next token is predicted: `target`, after `start`.
    pub fn shifted(source: Vec<u32>, start: u32, target: &[u32]) -> Self {
        Encoded {
            source,
            input: [&[start], &target[..target.len().saturating_sub(1)]].concat(),
            labels: target.iter().copied().map(Some).collect(),
        }
    }

    /// Creates an example in which, at every place, the token `places` before it is predicted: `sequence`, after
    /// `start`.
    pub fn back(start: u32, places: usize, sequence: &[u32]) -> Self {
        let unnamed = std::iter::repeat_n(None, 1 + places);
        let named = sequence.iter().copied().map(Some);
        Encoded {
            source: vec![],
            input: [&[start], sequence].concat(),
            labels: unnamed.chain(named).take(1 + sequence.len()).collect(),
        }
    }

    /// Creates an example in which `sequence` is read twice after `start`, and the second time is predicted from its
    /// second token on.
    pub fn repeated(start: u32, sequence: &[u32]) -> Self {
        let unnamed = std::iter::repeat_n(None, sequence.len() + 1);
        let named = sequence.iter().skip(1).copied().map(Some);
        let read_again = &sequence[..sequence.len().saturating_sub(1)];
        Encoded {
            source: vec![],
            input: [&[start], sequence, read_again].concat(),
            labels: unnamed.chain(named).take(2 * sequence.len()).collect(),
        }
    }

    /// Creates a sentence between two tokens, of which every word is labelled with itself.
    #[cfg(feature = "cli")]
    pub fn masked(start: u32, words: &[u32], end: u32) -> Self {
        let labels = words.iter().copied().map(Some);
        Encoded {
            source: vec![],
            input: [&[start], words, &[end]].concat(),
            labels: [None].into_iter().chain(labels).chain([None]).collect(),
        }
    }

    /// Returns the number of tokens to predict.
    pub fn predicted(&self) -> usize {
        self.labels.iter().flatten().count()
    }
}

/// A padded batch on a device.
pub struct Batch {
    /// `[batch, source]`; `None` for a language model.
    pub source: Option<Tensor<2, Int>>,
    /// `[batch, source]`, true at padding.
    pub source_padding: Option<Tensor<2, Bool>>,
    /// The tokens that the decoder reads, or an encoder without one: `[batch, target]`.
    pub input: Tensor<2, Int>,
    /// `[batch, target]`, true at padding; `None` if there is none.
    pub input_padding: Option<Tensor<2, Bool>>,
    /// The places with a label, as indices into the flattened `[batch * target]`: `[tokens]`.
    pub predicted: Tensor<1, Int>,
    /// The tokens to predict there: `[tokens]`.
    pub labels: Tensor<1, Int>,
    /// Number of tokens to predict.
    pub tokens: usize,
}

impl Batch {
    /// Returns the input as the source of a model that has no decoder.
    pub fn input_as_source(&self) -> Source {
        Source {
            tokens: self.input.clone(),
            padding: self.input_padding.clone(),
            segments: None,
        }
    }

    /// Returns the source that an encoder reads. A language model's batch has none: an encoder then reads the first
    /// token alone.
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
        let (input, padding, width) = padded(&inputs, pad);
        let input_padding = padding
            .contains(&true)
            .then(|| Tensor::from_data(TensorData::new(padding, [rows, width]), device));
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
            input_padding,
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
