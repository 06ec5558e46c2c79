//! The quality of the word alignments that each head of cross-attention gives: `attn align`
//! measures it and the page shows it.

use serde::{Deserialize, Serialize};

use super::RowOf;
use crate::AttentionLayer;

/// The alignment error rates of a model's heads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AlignmentScores {
    /// Sets of sentence pairs, by language.
    pub sets: Vec<AlignmentSet>,
}

/// The error rates on the pairs of one language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AlignmentSet {
    /// The language beside English: `fr`, `zh`.
    pub language: String,
    /// The number of sentence pairs.
    pub pairs: usize,
    /// Each head by itself, in the order of computation.
    pub heads: Vec<HeadErrors>,
    /// The mean of all heads.
    pub all: RowErrors,
    /// The heads whose mean is the best that was found.
    pub best: BestHeads,
}

/// The error rates of a head, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeadErrors {
    /// The attention that the head is in.
    pub attention: AttentionLayer,
    /// The head, from 0.
    pub head: usize,
    /// The head's error rates.
    #[serde(flatten)]
    pub errors: RowErrors,
}

/// Error rates by the row that the links are read from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowErrors {
    /// The error rate of the row that writes the word.
    pub writing: f64,
    /// The error rate of the row that reads the word.
    pub reading: f64,
}

impl RowErrors {
    /// Returns the error rate of one of both rows.
    pub fn of(self, row: RowOf) -> f64 {
        match row {
            RowOf::Writing => self.writing,
            RowOf::Reading => self.reading,
        }
    }

    /// The row with the fewer errors.
    pub fn better(self) -> RowOf {
        match self.writing <= self.reading {
            true => RowOf::Writing,
            false => RowOf::Reading,
        }
    }

    /// Returns the lower of both error rates.
    pub fn least(self) -> f64 {
        self.of(self.better())
    }
}

/// Heads whose mean aligns best. They were chosen on the pairs that they are scored on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BestHeads {
    /// The heads, the first chosen first.
    pub heads: Vec<(AttentionLayer, usize)>,
    /// Whose row is read.
    pub row: RowOf,
    /// The error rate of these heads.
    pub error: f64,
}

impl AlignmentSet {
    /// The rates of a head.
    pub fn of(&self, attention: AttentionLayer, head: usize) -> Option<RowErrors> {
        let mut heads = self.heads.iter();
        let found = heads.find(|errors| (errors.attention, errors.head) == (attention, head));
        found.map(|errors| errors.errors)
    }

    /// The head with the fewest errors.
    pub fn best_head(&self) -> Option<&HeadErrors> {
        let heads = self.heads.iter();
        heads.min_by(|one, other| one.errors.least().total_cmp(&other.errors.least()))
    }

    /// The row with fewer errors for the mean of all heads.
    pub fn better_row(&self) -> RowOf {
        self.all.better()
    }
}

/// The scores in a file that `attn align` wrote.
///
/// # Errors
/// If it is no such file.
pub fn read_alignment_scores(json: &str) -> Result<AlignmentScores, serde_json::Error> {
    serde_json::from_str(json)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AttentionKind;

    #[test]
    fn the_best_head_is_the_one_with_the_fewest_errors_in_its_better_row() {
        let attention = AttentionLayer {
            kind: AttentionKind::Cross,
            layer: 1,
        };
        let head = |head, writing, reading| HeadErrors {
            attention,
            head,
            errors: RowErrors { writing, reading },
        };
        let set = AlignmentSet {
            language: "fr".to_owned(),
            pairs: 2,
            heads: vec![head(0, 0.5, 0.4), head(1, 0.3, 0.9), head(2, 0.8, 0.35)],
            all: RowErrors {
                writing: 0.4,
                reading: 0.6,
            },
            best: BestHeads {
                heads: vec![(attention, 1)],
                row: RowOf::Writing,
                error: 0.3,
            },
        };
        assert_eq!(set.best_head().map(|head| head.head), Some(1));
        assert_eq!(
            set.of(attention, 2).map(RowErrors::better),
            Some(RowOf::Reading)
        );
        assert_eq!(set.better_row(), RowOf::Writing);
        let scores = AlignmentScores { sets: vec![set] };
        let json = serde_json::to_string(&scores).unwrap();
        assert_eq!(read_alignment_scores(&json).unwrap(), scores);
        assert!(read_alignment_scores("{}").is_err());
    }
}
