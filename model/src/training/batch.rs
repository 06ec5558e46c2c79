//! Batches of sentences of similar length.

use burn::prelude::*;
use rand::seq::SliceRandom;
use rand::{SeedableRng, rngs::StdRng};

/// A tokenised example. The source is empty for a language model; both end in `</s>`.
#[derive(Clone, Debug)]
pub struct Encoded {
    /// Source tokens.
    pub source: Vec<u32>,
    /// Target tokens.
    pub target: Vec<u32>,
}

/// Deals `examples` into batches of at most `batch_tokens` tokens, padding included, each of
/// sentences of similar length, in an order that `seed` decides.
pub fn deal(examples: &[Encoded], batch_tokens: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut order: Vec<usize> = (0..examples.len()).collect();
    // Shuffled first, so that sentences of one length meet others each epoch.
    order.shuffle(&mut rng);
    order.sort_by_key(|&i| (examples[i].target.len(), examples[i].source.len()));
    let mut batches = vec![];
    let mut batch: Vec<usize> = vec![];
    let (mut source, mut target) = (0, 0);
    for index in order {
        let example = &examples[index];
        let wider = (
            source.max(example.source.len()),
            target.max(example.target.len()),
        );
        if !batch.is_empty() && (batch.len() + 1) * (wider.0 + wider.1) > batch_tokens {
            batches.push(std::mem::take(&mut batch));
            (source, target) = (example.source.len(), example.target.len());
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
    /// Decoder input, the target shifted right: `[batch, target]`.
    pub input: Tensor<2, Int>,
    /// Where, in the flattened `[batch * target]`, a token is to be predicted: `[tokens]`.
    pub predicted: Tensor<1, Int>,
    /// The tokens to predict there: `[tokens]`.
    pub labels: Tensor<1, Int>,
    /// Number of tokens to predict.
    pub tokens: usize,
}

impl Batch {
    /// Pads `examples` with `pad` and shifts the target right behind `start`.
    pub fn new(examples: &[&Encoded], start: u32, pad: u32, device: &Device) -> Self {
        let rows = examples.len();
        let sources: Vec<&[u32]> = examples.iter().map(|e| e.source.as_slice()).collect();
        let (tokens, padding, width) = padded(&sources, pad);
        let has_source = width > 0;
        let source =
            has_source.then(|| Tensor::from_data(TensorData::new(tokens, [rows, width]), device));
        let source_padding = (has_source && padding.contains(&true))
            .then(|| Tensor::from_data(TensorData::new(padding, [rows, width]), device));

        let shifted: Vec<Vec<u32>> = examples
            .iter()
            .map(|e| [&[start], &e.target[..e.target.len() - 1]].concat())
            .collect();
        let shifted: Vec<&[u32]> = shifted.iter().map(Vec::as_slice).collect();
        let (input, padding, width) = padded(&shifted, pad);
        let predicted: Vec<i32> = padding
            .iter()
            .enumerate()
            .filter(|(_, padding)| !**padding)
            .map(|(index, _)| index as i32)
            .collect();
        let labels: Vec<i32> = examples
            .iter()
            .flat_map(|e| e.target.iter().map(|&t| t as i32))
            .collect();
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
                .map(|&(s, t)| Encoded { source: vec![3; s], target: vec![3; t] })
                .collect();
            let batches = deal(&examples, 64, seed);
            let mut dealt: Vec<usize> = batches.concat();
            dealt.sort_unstable();
            prop_assert_eq!(dealt, (0..examples.len()).collect::<Vec<_>>());
            for batch in &batches {
                let widest = |length: fn(&Encoded) -> usize| batch.iter().map(|&i| length(&examples[i])).max().unwrap();
                let area = batch.len() * (widest(|e| e.source.len()) + widest(|e| e.target.len()));
                prop_assert!(area <= 64 || batch.len() == 1);
            }
            prop_assert_eq!(deal(&examples, 64, seed), batches);
        }
    }

    #[test]
    fn targets_are_shifted_and_padding_is_not_predicted() {
        let a = Encoded {
            source: vec![5, 1],
            target: vec![6, 7, 1],
        };
        let b = Encoded {
            source: vec![5, 6, 1],
            target: vec![1],
        };
        let batch = Batch::new(&[&a, &b], 0, 0, &Device::flex());
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
}
