//! Scores of a model with its heads off, on sentences that a seed chooses.

use std::collections::BTreeSet;

use attention_trace::{AttentionLayer, Edit, HeadScore, HeadScores, Search, SetScore};
use burn::prelude::*;
use rand::seq::SliceRandom;
use rand::{SeedableRng, rngs::StdRng};

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

/// Computes the scores with every head off separately, and with heads removed one after another; `progress` is called
/// after each pass over the pairs, two for each head and one more.
///
/// # Errors
/// As [`translate`].
pub async fn head_scores(
    checkpoint: &Checkpoint,
    pairs: &[Example],
    search: Search,
    device: &Device,
    mut progress: impl FnMut(),
) -> Result<HeadScores, ModelError> {
    let mut score = async |off: &[Edit]| {
        let score = set_score(checkpoint, pairs, search, off, device).await;
        progress();
        score
    };
    let whole = score(&[]).await?;
    let mut alone = vec![];
    for (attention, head) in heads(checkpoint) {
        alone.push(HeadScore {
            attention,
            head,
            score: score(&[off(attention, head)]).await?,
        });
    }
    let mut order: Vec<&HeadScore> = alone.iter().collect();
    order.sort_by(|one, other| one.score.loss.total_cmp(&other.score.loss));
    let (mut edits, mut pruned) = (vec![], vec![]);
    for &HeadScore {
        attention, head, ..
    } in order
    {
        edits.push(off(attention, head));
        pruned.push(HeadScore {
            attention,
            head,
            score: score(&edits).await?,
        });
    }
    Ok(HeadScores {
        pairs: pairs.len(),
        search,
        whole,
        alone,
        pruned,
    })
}

/// Returns every head, in the order of computation.
fn heads(checkpoint: &Checkpoint) -> Vec<(AttentionLayer, usize)> {
    let spec = checkpoint.spec();
    let kinds = spec.kinds().into_iter();
    let layers = kinds
        .flat_map(|kind| (0..spec.layers(kind)).map(move |layer| AttentionLayer { kind, layer }));
    layers
        .flat_map(|attention| (0..spec.heads(attention.kind)).map(move |head| (attention, head)))
        .collect()
}

fn off(attention: AttentionLayer, head: usize) -> Edit {
    Edit::ScaleHead {
        attention,
        head,
        factor: 0.0,
    }
}

async fn set_score(
    checkpoint: &Checkpoint,
    pairs: &[Example],
    search: Search,
    edits: &[Edit],
    device: &Device,
) -> Result<SetScore, ModelError> {
    let scoring = Scoring {
        search,
        tokenizer: BleuTokenizer::Words,
        edits,
    };
    let mut counts = PairCounts::default();
    for pair in pairs {
        counts.merge(PairCounts::of(checkpoint, pair, scoring, device).await?);
    }
    Ok(counts.set_score())
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
