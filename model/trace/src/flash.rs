//! Attention for one query, block by block of keys: softmax with a running maximum and sum ("online softmax", Milakov &
//! Gimelshein 2018; FlashAttention, Dao et al. 2022), and the numbers that it moves between slow and fast memory.

use crate::softmax;

/// The state after a block of keys.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockStep {
    /// The number of keys that were read so far.
    pub keys: usize,
    /// `m`: the largest score so far.
    pub maximum: f32,
    /// `e^(m_before − m)`: the factor of the sum and the output of earlier blocks; 0 at the first block.
    pub rescaled: f32,
    /// `l`: the sum of `e^(s − m)` over the keys so far.
    pub sum: f32,
    /// `o`: the sum of `e^(s − m)` times the key's value, not yet divided by `l`; as wide as a value.
    pub unnormalised: Vec<f32>,
}

impl BlockStep {
    /// Returns the weighted mean of the values so far, `o / l`.
    pub fn output(&self) -> Vec<f32> {
        let values = self.unnormalised.iter();
        values.map(|value| value / self.sum).collect()
    }
}

/// Computes the steps over blocks of `block` keys; the last block may have fewer. A score of −∞ weighs nothing.
///
/// # Shapes
/// - scores: `[n]`, one for each key
/// - values: `[n * width]`, row-major
pub fn steps(scores: &[f32], values: &[f32], block: usize) -> Vec<BlockStep> {
    let width = values.len() / scores.len().max(1);
    let mut steps: Vec<BlockStep> = Vec::new();
    for first in (0..scores.len()).step_by(block.max(1)) {
        let end = (first + block.max(1)).min(scores.len());
        let next = match steps.last() {
            Some(before) => joined(before, scores, values, (first, end, width)),
            None => joined(&empty(width), scores, values, (first, end, width)),
        };
        steps.push(next);
    }
    steps
}

/// The state before any key.
fn empty(width: usize) -> BlockStep {
    BlockStep {
        keys: 0,
        maximum: f32::NEG_INFINITY,
        rescaled: 0.0,
        sum: 0.0,
        unnormalised: vec![0.0; width],
    }
}

fn joined(
    before: &BlockStep,
    scores: &[f32],
    values: &[f32],
    (first, end, width): (usize, usize, usize),
) -> BlockStep {
    let of_block = scores[first..end].iter().copied();
    let maximum = of_block.fold(before.maximum, f32::max);
    let power = |score: f32| match maximum {
        // Nothing was seen yet: −∞ minus −∞ is no number.
        f32::NEG_INFINITY => 0.0,
        maximum => (score - maximum).exp(),
    };
    let rescaled = power(before.maximum);
    let mut sum = before.sum * rescaled;
    let mut unnormalised: Vec<f32> = before.unnormalised.iter().map(|o| o * rescaled).collect();
    for key in first..end {
        let weight = power(scores[key]);
        sum += weight;
        let value = &values[key * width..(key + 1) * width];
        for (output, value) in unnormalised.iter_mut().zip(value) {
            *output += weight * value;
        }
    }
    BlockStep {
        keys: end,
        maximum,
        rescaled,
        sum,
        unnormalised,
    }
}

/// Computes the weighted mean of the values with the softmax of the whole row at once.
///
/// # Shapes
/// As those of [`steps`].
pub fn plain(scores: &[f32], values: &[f32]) -> Vec<f32> {
    let width = values.len() / scores.len().max(1);
    let mut output = vec![0.0; width];
    for (weight, value) in softmax(scores).iter().zip(values.chunks(width.max(1))) {
        for (output, value) in output.iter_mut().zip(value) {
            *output += weight * value;
        }
    }
    output
}

/// The sizes of one head's attention on a chip with a small fast memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadSize {
    /// The number of queries, and of keys.
    pub tokens: u64,
    /// `d_k`, the width of a query, key or value.
    pub width: u64,
}

/// Numbers that are read from and written to slow memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traffic {
    /// Numbers that are read.
    pub read: u64,
    /// Numbers that are written.
    pub written: u64,
}

impl Traffic {
    /// Returns the bytes that are moved both ways, for numbers of so many bytes.
    pub fn bytes(self, number_bytes: u64) -> u64 {
        (self.read + self.written) * number_bytes
    }
}

impl HeadSize {
    /// Returns the traffic of three passes that keep whole matrices in slow memory: scores `QKᵀ`, then their softmax,
    /// then its product with `V`. Each pass reads its inputs and writes its output once.
    pub fn plain(self) -> Traffic {
        let HeadSize { tokens, width } = self;
        let (matrix, vectors) = (tokens * tokens, tokens * width);
        Traffic {
            read: 2 * vectors + matrix + matrix + vectors,
            written: matrix + matrix + vectors,
        }
    }

    /// Returns the traffic of blocks of `block` queries, each of which reads all keys and values block by block and
    /// keeps maximum, sum and output in fast memory until it is done.
    pub fn blocked(self, block: u64) -> Traffic {
        let HeadSize { tokens, width } = self;
        let vectors = tokens * width;
        Traffic {
            read: vectors + tokens.div_ceil(block.max(1)) * 2 * vectors,
            written: vectors,
        }
    }

    /// Returns the numbers that the fast memory holds at once: a block of queries, their outputs, maxima and sums, a block
    /// of keys and values, and the block of scores.
    pub fn fast(self, block: u64) -> u64 {
        4 * block * self.width + block * block + 2 * block
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn two_blocks_by_hand() {
        // e^(s − m) is 1, 2 and 4 times the smallest.
        let scores = [0.0, 2.0_f32.ln(), 4.0_f32.ln()];
        let steps = steps(&scores, &[7.0, 0.0, 0.0, 7.0, 7.0, 7.0], 2);
        assert_eq!(steps.len(), 2);
        assert_eq!((steps[0].keys, steps[0].rescaled), (2, 0.0));
        assert!((steps[0].sum - 1.5).abs() < 1e-6);
        assert!((steps[1].rescaled - 0.5).abs() < 1e-6);
        assert!((steps[1].sum - 1.75).abs() < 1e-6);
        let output = steps[1].output();
        assert!((output[0] - 5.0).abs() < 1e-5 && (output[1] - 6.0).abs() < 1e-5);
    }

    #[test]
    fn a_masked_key_weighs_nothing_wherever_it_is() {
        for masked in 0..3 {
            let mut scores = [1.0, 2.0, 3.0];
            scores[masked] = f32::NEG_INFINITY;
            let steps = steps(&scores, &[1.0, 10.0, 100.0], 1);
            let whole = plain(&scores, &[1.0, 10.0, 100.0]);
            let found = steps.last().unwrap().output()[0];
            assert!((found - whole[0]).abs() < 1e-4, "{masked}");
        }
        assert_eq!(steps(&[], &[], 4), []);
    }

    #[test]
    fn traffic_of_a_small_head_is_counted_by_hand() {
        let size = HeadSize {
            tokens: 4,
            width: 2,
        };
        // Q, K (8 each) and S (16), then P (16) and V (8); S, P and O are written.
        let plain = Traffic {
            read: 56,
            written: 40,
        };
        assert_eq!(size.plain(), plain);
        assert_eq!(plain.bytes(2), 192);
        // Q once, K and V for each of two blocks of queries.
        assert_eq!(
            size.blocked(2),
            Traffic {
                read: 40,
                written: 8
            }
        );
        assert_eq!(
            size.blocked(4),
            Traffic {
                read: 24,
                written: 8
            }
        );
        assert_eq!(size.blocked(3), size.blocked(2));
        assert_eq!(size.fast(2), 24);
    }

    proptest! {
        #[test]
        fn blocks_of_any_size_give_what_the_whole_row_gives(
            rows in prop::collection::vec((-20.0f32..20.0, -4.0f32..4.0, -4.0f32..4.0), 1..40),
            block in 1usize..50,
        ) {
            let scores: Vec<f32> = rows.iter().map(|row| row.0).collect();
            let values: Vec<f32> = rows.iter().flat_map(|row| [row.1, row.2]).collect();
            let steps = steps(&scores, &values, block);
            prop_assert_eq!(steps.len(), scores.len().div_ceil(block));
            let (last, whole) = (steps.last().unwrap().output(), plain(&scores, &values));
            for (one, other) in last.iter().zip(&whole) {
                // Values are at most 4.
                prop_assert!((one - other).abs() < 4e-6, "{} {}", one, other);
            }
        }

        #[test]
        fn larger_blocks_never_move_more(tokens in 1u64..5000, width in 1u64..256, block in 1u64..512) {
            let size = HeadSize { tokens, width };
            prop_assert!(size.blocked(block + 1).read <= size.blocked(block).read);
            prop_assert_eq!(size.blocked(block).written, tokens * width);
        }
    }
}
