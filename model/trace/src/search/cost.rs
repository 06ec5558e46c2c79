//! The cost of a search: by its formula, and counted.

use thiserror::Error;

/// The most sequences that are looked at one by one.
pub const MOST_SEQUENCES: u64 = 1 << 16;

/// More sequences than can be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("{vocabulary}^{length} = 10^{:.1} sequences are too many to look at", self.power_of_ten())]
pub struct TooMany {
    /// The tokens that each place may have.
    pub vocabulary: u64,
    /// The number of places.
    pub length: u32,
}

impl TooMany {
    /// The exponent `x` of `10ˣ = vocabulary^length`.
    pub fn power_of_ten(&self) -> f64 {
        f64::from(self.length) * (self.vocabulary as f64).log10()
    }
}

/// Returns the number of sequences of `length` tokens.
///
/// # Errors
/// If they are more than can be looked at one by one.
pub fn sequences(vocabulary: u64, length: u32) -> Result<u64, TooMany> {
    let count = vocabulary.checked_pow(length);
    count
        .filter(|&count| count <= MOST_SEQUENCES)
        .ok_or(TooMany { vocabulary, length })
}

/// The counted cost of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// The number of beginnings that the model continued.
    pub rows: u64,
    /// Probabilities that it gave, one for each token of the vocabulary and beginning.
    pub probabilities: u64,
}

impl Cost {
    /// Counts one row and its probabilities.
    pub(super) fn count(&mut self, row: &[f64]) {
        self.rows += 1;
        self.probabilities += row.len() as u64;
    }

    /// The most probabilities that a beam of `width` looks at: `k·n·T`. Greedy search is a beam of one.
    pub fn of_beam(width: u64, vocabulary: u64, length: u64) -> u64 {
        width.saturating_mul(vocabulary).saturating_mul(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_words_out_of_10_000_are_10_to_the_40_sequences() {
        let error = sequences(10_000, 10).unwrap_err();
        assert_eq!(error.power_of_ten(), 40.0);
        assert_eq!(
            error.to_string(),
            "10000^10 = 10^40.0 sequences are too many to look at"
        );
    }

    #[test]
    fn four_steps_over_four_tokens_are_256_sequences() {
        assert_eq!(sequences(4, 4), Ok(256));
    }

    #[test]
    fn the_guard_stands_where_counting_ends() {
        assert_eq!(sequences(2, 16), Ok(65_536));
        assert!(sequences(2, 17).is_err());
        // 2^64 is no number of 64 bits.
        assert!(sequences(2, 64).is_err());
        assert_eq!(sequences(0, 0), Ok(1));
    }

    #[test]
    fn a_beam_of_5_over_10_000_words_and_10_steps_costs_5_times_10_to_the_5() {
        assert_eq!(Cost::of_beam(5, 10_000, 10), 500_000);
    }
}
