//! T5's relative positions ([Raffel et al. 2020](https://arxiv.org/abs/1910.10683), section 2.1): every
//! distance falls into a bucket, and each head learns a bias for each bucket.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// The keys that a query may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// The keys before it and itself: all buckets are for the past.
    Causal,
    /// All of them: half of the buckets are for keys after the query.
    Both,
}

/// The division of distances into buckets: one for each short distance, then ranges that widen logarithmically; the
/// last one has no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Buckets {
    /// The number of buckets.
    pub count: usize,
    /// The distance from which all fall into the last bucket.
    pub furthest: usize,
    /// The keys that a query may see.
    pub direction: Direction,
}

impl Buckets {
    /// T5's own sizes, 32 buckets up to distance 128, in a decoder.
    pub const CAUSAL: Buckets = Buckets {
        count: 32,
        furthest: 128,
        direction: Direction::Causal,
    };

    /// T5's own sizes in an encoder.
    pub const BOTH: Buckets = Buckets {
        direction: Direction::Both,
        ..Self::CAUSAL
    };

    /// The bucket, below `count`, of a key that stands `offset` places after its query; before it where
    /// `offset` is negative. `_relative_position_bucket` of `transformers`, in f32 as there.
    pub fn bucket(self, offset: isize) -> usize {
        let distance = offset.unsigned_abs();
        match self.direction {
            Direction::Causal if offset > 0 => 0,
            Direction::Causal => self.range(distance, self.count),
            Direction::Both => {
                let half = self.count / 2;
                let first = if offset > 0 { half } else { 0 };
                first + self.range(distance, half)
            }
        }
    }

    /// Returns the index, among `count` ranges, of the one that a distance falls into.
    fn range(self, distance: usize, count: usize) -> usize {
        let exact = count / 2;
        if distance < exact {
            return distance;
        }
        let part =
            (distance as f32 / exact as f32).ln() / (self.furthest as f32 / exact as f32).ln();
        let beyond = (part * (count - exact) as f32) as usize;
        (exact + beyond).min(count - 1)
    }

    /// The buckets of `queries` with `keys`, `[queries, keys]` row-major.
    pub fn table(self, queries: Range<usize>, keys: Range<usize>) -> Vec<usize> {
        queries
            .flat_map(|query| {
                keys.clone()
                    .map(move |key| self.bucket(key as isize - query as isize))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_distances_have_buckets_of_their_own() {
        for distance in 0..16 {
            assert_eq!(Buckets::CAUSAL.bucket(-distance), distance as usize);
        }
        for distance in 0..8 {
            assert_eq!(Buckets::BOTH.bucket(-distance), distance as usize);
        }
        assert_eq!(Buckets::BOTH.bucket(3), 16 + 3);
    }

    #[test]
    fn long_distances_share_and_the_longest_share_the_last() {
        let causal = |distance: isize| Buckets::CAUSAL.bucket(-distance);
        assert_eq!(causal(16), causal(18));
        assert_eq!(causal(31), 21);
        assert_eq!((causal(112), causal(113)), (30, 31));
        assert_eq!(causal(100_000), 31);
        assert_eq!(Buckets::BOTH.bucket(100_000), 31);
    }

    #[test]
    fn a_decoder_does_not_tell_the_future_apart() {
        assert_eq!(Buckets::CAUSAL.bucket(1), 0);
        assert_eq!(Buckets::CAUSAL.bucket(200), 0);
    }

    #[test]
    fn the_table_has_a_row_for_each_query() {
        let table = Buckets::CAUSAL.table(1..3, 0..3);
        assert_eq!(table, [1, 0, 0, 2, 1, 0]);
    }
}
