//! The counts that BLEU and perplexity are computed from, which add up over the parts of a corpus.

use attention_trace::{
    Edit, FixedPointSum, Search, SetScore,
    judging::{Bleu, ORDERS, Weights},
};
use burn::prelude::*;
use serde::{Deserialize, Serialize};

use super::{BleuTokenizer, negative_log_likelihood, translate};
use crate::checkpoint::Checkpoint;
use crate::error::ModelError;
use crate::training::Example;

/// The scores of one file.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Scores {
    /// The number of pairs scored.
    pub pairs: usize,
    /// Corpus BLEU in percent, as sacreBLEU computes it; `None` for a language model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bleu: Option<f64>,
    /// `exp` of the mean negative log-likelihood of the target's tokens, end of sentence included.
    pub perplexity: f64,
}

/// The way in which a model is scored.
#[derive(Clone, Copy, Debug)]
pub struct Scoring<'a> {
    /// The search for translations.
    pub search: Search,
    /// The tokenizer of BLEU.
    pub tokenizer: BleuTokenizer,
    /// The edits of every pass.
    pub edits: &'a [Edit],
}

/// The counts of scored pairs. They are the same to the last bit in whatever order pairs are added and parts are merged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PairCounts {
    pairs: usize,
    /// The counts of the translations; `None` without a translation.
    bleu: Option<Bleu>,
    /// `−Σ log p` of the target's tokens, in nats.
    nll: FixedPointSum,
    /// The tokens of the targets, end of sentence included.
    tokens: usize,
}

impl PairCounts {
    /// Returns the counts of one pair.
    ///
    /// # Errors
    /// As [`translate`], and if the target cannot be read.
    pub async fn of(
        checkpoint: &Checkpoint,
        pair: &Example,
        scoring: Scoring<'_>,
        device: &Device,
    ) -> Result<Self, ModelError> {
        let edits = scoring.edits;
        let (nll, tokens) = negative_log_likelihood(checkpoint, pair, edits, device).await?;
        let bleu = match &pair.source {
            Some(source) => {
                let written = translate(checkpoint, source, scoring.search, edits, device).await?;
                Some(scoring.tokenizer.count(&pair.target, &written))
            }
            None => None,
        };
        let mut counts = PairCounts {
            pairs: 1,
            bleu,
            tokens,
            ..PairCounts::default()
        };
        counts.nll.add(nll);
        Ok(counts)
    }

    /// Returns the number of pairs.
    pub fn pairs(&self) -> usize {
        self.pairs
    }

    /// Adds the counts of other pairs.
    pub fn merge(&mut self, other: PairCounts) {
        self.pairs += other.pairs;
        if let Some(other) = other.bleu {
            *self.bleu.get_or_insert_default() += other;
        }
        self.nll.merge(other.nll);
        self.tokens += other.tokens;
    }

    /// Returns BLEU as sacreBLEU prints it, a precision of 0 smoothed, and perplexity.
    pub fn scores(&self) -> Scores {
        Scores {
            pairs: self.pairs,
            bleu: self.bleu.map(|bleu| bleu.smoothed().score),
            perplexity: self.loss().exp(),
        }
    }

    /// Returns the loss, and BLEU without smoothing: 0 if no four consecutive words are right, so that a model that
    /// writes single right words scores nothing.
    pub fn set_score(&self) -> SetScore {
        let bleu = self
            .bleu
            .and_then(|bleu| bleu.weighted(ORDERS, Weights::Even));
        SetScore {
            bleu: 100.0 * bleu.unwrap_or(0.0),
            loss: self.loss(),
        }
    }

    /// Returns the mean negative log-likelihood of a token, in nats.
    fn loss(&self) -> f64 {
        self.nll.value() / self.tokens.max(1) as f64
    }
}

/// Scores `checkpoint` on `pairs`; `progress` is called after each.
///
/// # Errors
/// As [`PairCounts::of`].
pub async fn evaluate(
    checkpoint: &Checkpoint,
    pairs: &[Example],
    scoring: Scoring<'_>,
    device: &Device,
    mut progress: impl FnMut(),
) -> Result<Scores, ModelError> {
    let mut counts = PairCounts::default();
    for pair in pairs {
        counts.merge(PairCounts::of(checkpoint, pair, scoring, device).await?);
        progress();
    }
    Ok(counts.scores())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn counts() -> impl Strategy<Value = PairCounts> {
        let words = prop::collection::vec("[a-c]", 0..8);
        (words.clone(), words, any::<bool>(), 0.0f64..90.0, 1usize..9).prop_map(
            |(reference, candidate, is_translated, nll, tokens)| {
                let bleu = is_translated.then(|| Bleu::of(&reference, &candidate));
                let mut counts = PairCounts {
                    pairs: 1,
                    bleu,
                    tokens,
                    ..PairCounts::default()
                };
                counts.nll.add(nll);
                counts
            },
        )
    }

    fn merged<'a>(parts: impl Iterator<Item = &'a PairCounts>) -> PairCounts {
        let mut sum = PairCounts::default();
        parts.for_each(|part| sum.merge(part.clone()));
        sum
    }

    proptest! {
        #[test]
        fn shards_of_any_partition_add_up_to_the_whole(
            pairs in prop::collection::vec((counts(), 0usize..4), 0..30)
        ) {
            let whole = merged(pairs.iter().map(|(counts, _)| counts));
            let shards: Vec<PairCounts> = (0..4)
                .map(|shard| merged(pairs.iter().filter(|(_, of)| *of == shard).map(|(counts, _)| counts)))
                .collect();
            let together = merged(shards.iter().rev());
            prop_assert_eq!(&together, &whole);
            prop_assert_eq!(together.scores().perplexity.to_bits(), whole.scores().perplexity.to_bits());
            prop_assert_eq!(together.set_score(), whole.set_score());
        }
    }
}
