//! Scores of a model with its heads off, on sentences that a seed chooses.

use std::collections::BTreeSet;

use attention_trace::{AttentionLayer, Edit, HeadScore, HeadScores, Search};
use burn::prelude::*;
use rand::seq::SliceRandom;
use rand::{SeedableRng, rngs::StdRng};
use serde::{Deserialize, Serialize};

use super::alignment::Head;
use super::{BleuTokenizer, PairCounts, Scoring};
use crate::checkpoint::Checkpoint;
use crate::error::ModelError;
use crate::training::{Example, Split};

/// The fewest words of a chosen target: BLEU counts sequences of up to four words.
const FEWEST_WORDS: usize = 4;

/// Chooses `count` different tab-separated lines whose English sentence, the first column, is in the test set of
/// training; `seed` decides which ones.
pub fn choose(lines: &str, count: usize, seed: u64) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let mut held_out: Vec<&str> = lines
        .lines()
        .filter(|line| {
            let english = line.split('\t').next().unwrap_or_default();
            let is_long = english.split_whitespace().count() >= FEWEST_WORDS;
            is_long && Split::of(english) == Split::Test && seen.insert(english)
        })
        .collect();
    held_out.shuffle(&mut StdRng::seed_from_u64(seed));
    held_out.truncate(count);
    held_out
}

/// The counts of pairs with each head off, and with more and more heads out. They are the same to the last bit in
/// whatever order pairs are added and parts are merged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeadCounts {
    /// With all heads on, then with each head off by itself, in the order of computation.
    alone: Vec<PairCounts>,
    /// With heads taken out one after the other.
    pruned: Vec<PairCounts>,
}

impl HeadCounts {
    /// Returns the counts of a pair with all heads on and with each head off by itself.
    ///
    /// # Errors
    /// As [`PairCounts::of`].
    pub async fn alone(
        checkpoint: &Checkpoint,
        pair: &Example,
        search: Search,
        device: &Device,
    ) -> Result<Self, ModelError> {
        let each = heads(checkpoint).into_iter().map(|head| vec![off(head)]);
        let edits: Vec<_> = [vec![]].into_iter().chain(each).collect();
        Ok(HeadCounts {
            alone: counts(checkpoint, pair, (search, &edits), device).await?,
            pruned: vec![],
        })
    }

    /// Returns the counts of a pair with heads taken out one after the other, those first whose absence costs least loss
    /// in `whole`, the counts of all pairs.
    ///
    /// # Errors
    /// As [`PairCounts::of`].
    pub async fn pruned(
        checkpoint: &Checkpoint,
        pair: &Example,
        (search, whole): (Search, &HeadCounts),
        device: &Device,
    ) -> Result<Self, ModelError> {
        let order = whole.order(checkpoint);
        let out: Vec<Edit> = order.into_iter().map(|score| off(place(&score))).collect();
        let edits: Vec<_> = (1..=out.len()).map(|heads| out[..heads].to_vec()).collect();
        Ok(HeadCounts {
            alone: vec![],
            pruned: counts(checkpoint, pair, (search, &edits), device).await?,
        })
    }

    /// Adds the counts of other pairs.
    pub fn merge(&mut self, other: HeadCounts) {
        let lists = [
            (&mut self.alone, other.alone),
            (&mut self.pruned, other.pruned),
        ];
        for (own, other) in lists {
            own.resize_with(own.len().max(other.len()), PairCounts::default);
            for (own, other) in own.iter_mut().zip(other) {
                own.merge(other);
            }
        }
    }

    /// Returns the number of pairs.
    pub fn pairs(&self) -> usize {
        self.alone.first().map_or(0, PairCounts::pairs)
    }

    /// Returns the scores of a model's heads.
    pub fn scores(&self, checkpoint: &Checkpoint, search: Search) -> HeadScores {
        let whole = self.alone.first().cloned().unwrap_or_default();
        let pruned = self.order(checkpoint).into_iter().zip(&self.pruned);
        HeadScores {
            weights: None,
            pairs: whole.pairs(),
            search,
            whole: whole.set_score(),
            alone: self.each(checkpoint),
            pruned: pruned
                .map(|(head, counts)| HeadScore {
                    score: counts.set_score(),
                    ..head
                })
                .collect(),
        }
    }

    /// Returns the score with each head off by itself, in the order of computation.
    fn each(&self, checkpoint: &Checkpoint) -> Vec<HeadScore> {
        let counts = self.alone.iter().skip(1);
        let each = heads(checkpoint).into_iter().zip(counts);
        each.map(|((attention, head), counts)| HeadScore {
            attention,
            head,
            score: counts.set_score(),
        })
        .collect()
    }

    /// Returns the heads by their loss, those first whose absence costs least.
    fn order(&self, checkpoint: &Checkpoint) -> Vec<HeadScore> {
        let mut order = self.each(checkpoint);
        order.sort_by(|one, other| one.score.loss.total_cmp(&other.score.loss));
        order
    }
}

/// Returns the counts of a pair under each list of edits.
async fn counts(
    checkpoint: &Checkpoint,
    pair: &Example,
    (search, edits): (Search, &[Vec<Edit>]),
    device: &Device,
) -> Result<Vec<PairCounts>, ModelError> {
    let mut counts = vec![];
    for edits in edits {
        let scoring = Scoring {
            search,
            tokenizer: BleuTokenizer::Words,
            edits,
        };
        counts.push(PairCounts::of(checkpoint, pair, scoring, device).await?);
    }
    Ok(counts)
}

fn place(score: &HeadScore) -> Head {
    (score.attention, score.head)
}

/// Returns every head, in the order of computation.
fn heads(checkpoint: &Checkpoint) -> Vec<Head> {
    let spec = checkpoint.spec();
    let kinds = spec.kinds().into_iter();
    let layers = kinds
        .flat_map(|kind| (0..spec.layers(kind)).map(move |layer| AttentionLayer { kind, layer }));
    layers
        .flat_map(|attention| (0..spec.heads(attention.kind)).map(move |head| (attention, head)))
        .collect()
}

fn off((attention, head): Head) -> Edit {
    Edit::ScaleHead {
        attention,
        head,
        factor: 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_chooses_sentences_that_were_held_out_each_once() {
        let line = |at: usize| format!("This is sentence number {at}.\tVoici {at}.\tby someone\n");
        let lines: String = (0..2000).chain(0..2000).map(line).collect();
        let chosen = choose(&lines, 8, 16);
        assert_eq!(chosen.len(), 8);
        assert_eq!(chosen, choose(&lines, 8, 16));
        assert_ne!(chosen, choose(&lines, 8, 17));
        let english: BTreeSet<&str> = chosen
            .iter()
            .filter_map(|line| line.split('\t').next())
            .collect();
        assert_eq!(english.len(), 8);
        assert!(
            english
                .iter()
                .all(|english| Split::of(english) == Split::Test)
        );
        assert!(choose("Too short.\tTrop court.\n", 8, 16).is_empty());
    }
}
