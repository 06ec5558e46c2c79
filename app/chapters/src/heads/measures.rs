//! Measures of a head's weights: mean distance, entropy and mean weight at each offset.

use attention_trace::Array;

/// A head's weights over a text, a row for each query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights<'a> {
    rows: &'a [f32],
    tokens: usize,
}

/// The distance and the entropy of a head's weights, as means over its queries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The distance between a query and the keys, in tokens, averaged with the weights.
    pub distance: f32,
    /// The entropy of the weights in bits: 0 for a single token, log₂ n for n equal weights.
    pub entropy: f32,
}

impl<'a> Weights<'a> {
    /// Returns the weights of a square map; `None` for any other shape.
    pub fn new(map: &'a [f32], tokens: usize) -> Option<Self> {
        (tokens > 0 && map.len() == tokens * tokens).then_some(Weights { rows: map, tokens })
    }

    /// Returns the weights of one head of a layer's map `[h, n, n]`; `None` if there is no such head.
    pub fn of_head(layer: &'a Array, head: usize) -> Option<Self> {
        Self::new(layer.matrix(head)?, *layer.shape.last()?)
    }

    fn rows(self) -> impl Iterator<Item = &'a [f32]> {
        self.rows.chunks_exact(self.tokens)
    }

    /// Computes the mean of a measure over all queries.
    fn mean(self, of: impl Fn(usize, &[f32]) -> f32) -> f32 {
        let each = self.rows().enumerate().map(|(query, row)| of(query, row));
        each.sum::<f32>() / self.tokens as f32
    }

    /// Computes the mean distance and the mean entropy.
    pub fn measured(self) -> Measured {
        Measured {
            distance: self.mean(|query, row| {
                let parts = row.iter().enumerate();
                parts
                    .map(|(key, weight)| weight * query.abs_diff(key) as f32)
                    .sum()
            }),
            entropy: self.mean(|_, row| entropy(row)),
        }
    }

    /// Computes the mean weight at each offset from `-reach` to `reach`, over the queries with a token at that offset;
    /// 0 if there are none.
    pub fn by_offset(self, reach: usize) -> Vec<f32> {
        let span = reach as isize;
        (-span..=span)
            .map(|offset| {
                let there = self
                    .rows()
                    .enumerate()
                    .filter_map(|(query, row)| row.get(query.checked_add_signed(offset)?).copied());
                let (sum, count) = there.fold((0.0, 0), |(sum, count), w| (sum + w, count + 1));
                if count > 0 { sum / count as f32 } else { 0.0 }
            })
            .collect()
    }
}

/// Computes the entropy −Σ w log₂ w in bits.
fn entropy(weights: &[f32]) -> f32 {
    let part = |&weight: &f32| match weight > 0.0 {
        true => -weight * weight.log2(),
        false => 0.0,
    };
    weights.iter().map(part).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn close(a: f32, b: f32) -> bool {
        (a - b).abs() < 1e-4
    }

    #[test]
    fn a_head_that_looks_at_its_own_token_is_near_and_sharp() {
        let own = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let weights = Weights::new(&own, 3).unwrap();
        let expected = Measured {
            distance: 0.0,
            entropy: 0.0,
        };
        assert_eq!(weights.measured(), expected);
        assert_eq!(weights.by_offset(1), [0.0, 1.0, 0.0]);
    }

    #[test]
    fn a_head_that_looks_one_back_is_a_kernel_with_one_weight() {
        // The first token has none before it.
        let back = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        let weights = Weights::new(&back, 3).unwrap();
        assert!(close(weights.measured().distance, 2.0 / 3.0));
        let by_offset = weights.by_offset(2);
        assert_eq!(by_offset[1], 1.0);
        assert!(close(by_offset[2], 1.0 / 3.0));
        assert_eq!(by_offset[3..], [0.0, 0.0]);
    }

    #[test]
    fn equal_weights_have_the_most_bits() {
        let equal = [0.25; 16];
        let measured = Weights::new(&equal, 4).unwrap().measured();
        assert!(close(measured.entropy, 2.0));
        // (0 + 1 + 2 + 3 + 1 + 0 + 1 + 2) · 2 ÷ 16.
        assert!(close(measured.distance, 1.25));
    }

    #[test]
    fn a_map_that_is_not_square_has_none() {
        assert_eq!(Weights::new(&[1.0, 0.0], 2), None);
        assert_eq!(Weights::new(&[], 0), None);
        let layer = Array {
            shape: vec![2, 1, 1],
            data: vec![1.0, 1.0],
        };
        assert!(Weights::of_head(&layer, 1).is_some());
        assert_eq!(Weights::of_head(&layer, 2), None);
    }

    /// Generates square maps of weights whose rows sum to 1.
    fn maps() -> impl Strategy<Value = (usize, Vec<f32>)> {
        (1usize..8).prop_flat_map(|tokens| {
            let scores = prop::collection::vec(-6.0f32..6.0, tokens * tokens);
            scores.prop_map(move |scores| {
                let rows = scores.chunks_exact(tokens).flat_map(|row| {
                    let total: f32 = row.iter().map(|score| score.exp()).sum();
                    row.iter().map(move |score| score.exp() / total)
                });
                (tokens, rows.collect::<Vec<f32>>())
            })
        })
    }

    proptest! {
        #[test]
        fn measures_are_within_their_bounds((tokens, map) in maps()) {
            let Measured { distance, entropy } = Weights::new(&map, tokens).unwrap().measured();
            prop_assert!((-1e-4..=(tokens - 1) as f32 + 1e-4).contains(&distance), "{distance}");
            prop_assert!((-1e-4..=(tokens as f32).log2() + 1e-4).contains(&entropy), "{entropy}");
        }

        #[test]
        fn a_mirrored_text_is_as_far_and_as_wide((tokens, map) in maps()) {
            let mirrored: Vec<f32> = map.iter().rev().copied().collect();
            let (one, other) = (Weights::new(&map, tokens).unwrap(), Weights::new(&mirrored, tokens).unwrap());
            prop_assert!(close(one.measured().distance, other.measured().distance));
            prop_assert!(close(one.measured().entropy, other.measured().entropy));
            let mut offsets = other.by_offset(3);
            offsets.reverse();
            for (a, b) in one.by_offset(3).into_iter().zip(offsets) {
                prop_assert!(close(a, b));
            }
        }
    }
}
