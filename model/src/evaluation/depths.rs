//! The number of depths that the tokens of sentence pairs use, for a model whose positions halt.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use attention_trace::{Array, Quantity, Site, Stack};
use burn::prelude::*;
use serde::Serialize;

use crate::checkpoint::Checkpoint;
use crate::decoding::Sequence;
use crate::error::ModelError;
use crate::training::Example;

/// Bins of the number of times that a token occurs in the texts read.
const OCCURRENCES: [RangeInclusive<usize>; 4] = [1..=1, 2..=9, 10..=99, 100..=usize::MAX];
/// Bins of the number of tokens in a sequence.
const LENGTHS: [RangeInclusive<usize>; 4] = [1..=6, 7..=12, 13..=18, 19..=usize::MAX];

/// The depths that the tokens of a stack used.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Depths {
    /// The mean depth of the tokens.
    pub mean: f64,
    /// The number of tokens that used one depth, two, and so on.
    pub tokens: Vec<usize>,
    /// The mean depth by the number of times that the token occurs in all texts read.
    pub by_occurrences: Vec<DepthBin>,
    /// The mean depth by the number of tokens in the sequence.
    pub by_length: Vec<DepthBin>,
}

/// The mean depth of some of the tokens.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DepthBin {
    /// The smallest number of the bin.
    pub from: usize,
    /// The largest number of the bin; `None` if there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<usize>,
    /// The number of tokens in the bin.
    pub tokens: usize,
    /// The mean depth of these tokens.
    pub mean: f64,
}

/// A token, the length of its sequence, and the depths it used.
struct Used {
    token: u32,
    length: usize,
    depth: usize,
}

/// Returns the depths of both stacks, by their names, with each target read with teacher forcing; nothing for a model
/// whose positions do not halt. `done` is called after each pair.
///
/// # Errors
/// If a sentence is empty or too long for the model, or the device fails.
pub async fn depths(
    checkpoint: &Checkpoint,
    pairs: &[Example],
    device: &Device,
    mut done: impl FnMut(),
) -> Result<BTreeMap<String, Depths>, ModelError> {
    let spec = checkpoint.spec();
    let is_weight = |site: &Site| site.quantity == Quantity::DepthWeight;
    let sites: BTreeSet<Site> = spec.sites().filter(is_weight).collect();
    let mut used: BTreeMap<String, Vec<Used>> = BTreeMap::new();
    for pair in pairs {
        let source = pair.source.as_deref().unwrap_or_default();
        let target = checkpoint.encode_target(&pair.target)?.tokens;
        let target: Vec<u32> = target.iter().map(|token| token.id).collect();
        let sequences = [Sequence {
            tokens: target.clone(),
            log_probability: 0.0,
            score: 0.0,
        }];
        let found = checkpoint
            .arrays(source, &sequences, &sites, &[], device)
            .await?;
        let start = checkpoint.control().start.unwrap_or_default();
        for stack in [Stack::Encoder, Stack::Decoder] {
            let tokens = match stack {
                Stack::Encoder => checkpoint
                    .encode_input(source)?
                    .iter()
                    .map(|t| t.id)
                    .collect(),
                Stack::Decoder => [&[start], &target[..target.len() - 1]].concat(),
            };
            let of_stack = used.entry(stack.to_string()).or_default();
            of_stack.extend(used_by(&tokens, stack, &found));
        }
        done();
    }
    let most = spec
        .stack(spec.last_stack())
        .map_or(0, |stack| stack.layers);
    let used = used.into_iter().filter(|(_, used)| !used.is_empty());
    Ok(used
        .map(|(name, used)| (name, summary(&used, most)))
        .collect())
}

/// Returns the depths with non-zero weight of each token; nothing if no weights were recorded.
fn used_by(tokens: &[u32], stack: Stack, arrays: &BTreeMap<Site, Array>) -> Vec<Used> {
    let weights: Vec<&Array> = arrays
        .iter()
        .filter(|(site, _)| site.block.stack() == Some(stack))
        .map(|(_, array)| array)
        .collect();
    if weights.is_empty() {
        return vec![];
    }
    let depth = |position: usize| {
        let of_position = weights.iter().filter(|array| array.data[position] > 0.0);
        of_position.count()
    };
    let tokens_and_depths = tokens.iter().enumerate().map(|(position, &token)| Used {
        token,
        length: tokens.len(),
        depth: depth(position),
    });
    tokens_and_depths.collect()
}

fn summary(used: &[Used], most: usize) -> Depths {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for one in used {
        *counts.entry(one.token).or_default() += 1;
    }
    let mut tokens = vec![0; most];
    for one in used {
        tokens[one.depth.clamp(1, most) - 1] += 1;
    }
    Depths {
        mean: mean(used.iter()),
        tokens,
        by_occurrences: binned(used, &OCCURRENCES, |one| counts[&one.token]),
        by_length: binned(used, &LENGTHS, |one| one.length),
    }
}

/// Returns the bins that have tokens.
fn binned(
    used: &[Used],
    bins: &[RangeInclusive<usize>],
    number: impl Fn(&Used) -> usize,
) -> Vec<DepthBin> {
    let of_bin = |bin: &RangeInclusive<usize>| {
        let inside: Vec<&Used> = used
            .iter()
            .filter(|one| bin.contains(&number(one)))
            .collect();
        (!inside.is_empty()).then(|| DepthBin {
            from: *bin.start(),
            to: (*bin.end() < usize::MAX).then_some(*bin.end()),
            tokens: inside.len(),
            mean: mean(inside.into_iter()),
        })
    };
    bins.iter().filter_map(of_bin).collect()
}

fn mean<'a>(used: impl ExactSizeIterator<Item = &'a Used>) -> f64 {
    let count = used.len().max(1);
    used.map(|one| one.depth as f64).sum::<f64>() / count as f64
}

#[cfg(test)]
mod tests {
    use attention_trace::{Block, Sublayer};

    use super::*;

    #[test]
    fn depths_are_counted_by_how_often_a_token_stands_and_by_length() {
        let used = |token, length, depth| Used {
            token,
            length,
            depth,
        };
        let read = [used(7, 2, 1), used(8, 2, 3), used(7, 8, 2), used(7, 8, 3)];
        let found = summary(&read, 4);
        assert_eq!(found.mean, 2.25);
        assert_eq!(found.tokens, [1, 1, 2, 0]);
        let bins = |bins: &[DepthBin]| -> Vec<_> {
            bins.iter()
                .map(|bin| (bin.from, bin.tokens, bin.mean))
                .collect()
        };
        assert_eq!(bins(&found.by_occurrences), [(1, 1, 3.0), (2, 3, 2.0)]);
        assert_eq!(bins(&found.by_length), [(1, 2, 2.0), (7, 2, 2.5)]);
    }

    #[test]
    fn a_depth_is_used_where_its_weight_is_not_zero() {
        let array = |data: Vec<f32>| Array {
            shape: vec![data.len(), 1],
            data,
        };
        let site = |depth| {
            Block::Sublayer(Stack::Encoder, depth, Sublayer::FeedForward).at(Quantity::DepthWeight)
        };
        let arrays = BTreeMap::from([
            (site(0), array(vec![0.5, 1.0])),
            (site(1), array(vec![0.5, 0.0])),
        ]);
        let found = used_by(&[3, 4], Stack::Encoder, &arrays);
        let found: Vec<_> = found.iter().map(|one| (one.token, one.depth)).collect();
        assert_eq!(found, [(3, 2), (4, 1)]);
        assert!(used_by(&[3, 4], Stack::Decoder, &arrays).is_empty());
    }
}
