//! The difference of each head's map.

use serde::{Deserialize, Serialize};

use crate::{Array, AttentionLayer, total_variation};

/// The difference of a head's maps in two passes. That of a query is the total variation distance of its two rows of
/// weights, `½ Σ |p − q|`: the share of the weight that moved to other keys, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeadDifference {
    /// The attention that the head is in.
    pub attention: AttentionLayer,
    /// The index of the head.
    pub head: usize,
    /// The mean over all queries.
    pub mean: f32,
    /// The largest of all queries.
    pub largest: f32,
    /// The first query with the largest one.
    pub query: usize,
}

/// Returns the difference of each head of an attention; `maps` are its weights in both passes, each
/// `[heads, queries, keys]`. `None` if the maps have other shapes than each other, or no query.
pub fn head_differences(
    attention: AttentionLayer,
    maps: [&Array; 2],
) -> Option<Vec<HeadDifference>> {
    let [one, other] = maps;
    let &[heads, queries, keys] = one.shape.as_slice() else {
        return None;
    };
    if one.shape != other.shape || queries == 0 || keys == 0 {
        return None;
    }
    let of_head = |head: usize| {
        let rows = one.matrix(head)?.chunks(keys);
        let moved = rows.zip(other.matrix(head)?.chunks(keys));
        let moved = moved.map(|(one, other)| total_variation(one, other));
        let mut sum = 0.0;
        let mut largest = (0, 0.0);
        for (query, moved) in moved.enumerate() {
            sum += f64::from(moved);
            if moved > largest.1 {
                largest = (query, moved);
            }
        }
        Some(HeadDifference {
            attention,
            head,
            mean: (sum / queries as f64) as f32,
            largest: largest.1,
            query: largest.0,
        })
    };
    (0..heads).map(of_head).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::AttentionKind;

    const ATTENTION: AttentionLayer = AttentionLayer {
        kind: AttentionKind::DecoderSelf,
        layer: 1,
    };

    fn maps(shape: [usize; 3], data: &[f32]) -> Array {
        Array {
            shape: shape.to_vec(),
            data: data.to_vec(),
        }
    }

    #[test]
    fn each_head_has_the_mean_and_the_largest_of_its_queries() {
        let one = maps([2, 2, 2], &[1.0, 0.0, 0.5, 0.5, 1.0, 0.0, 0.25, 0.75]);
        let other = maps([2, 2, 2], &[1.0, 0.0, 0.25, 0.75, 0.0, 1.0, 0.25, 0.75]);
        let found = head_differences(ATTENTION, [&one, &other]).unwrap();
        let difference = |head, mean, largest, query| HeadDifference {
            attention: ATTENTION,
            head,
            mean,
            largest,
            query,
        };
        let expected = [difference(0, 0.125, 0.25, 1), difference(1, 0.5, 1.0, 0)];
        assert_eq!(found, expected);
    }

    #[test]
    fn maps_of_other_tokens_or_heads_have_no_difference() {
        let one = maps([1, 1, 2], &[1.0, 0.0]);
        let others = [
            maps([2, 1, 1], &[1.0, 0.0]),
            maps([1, 2, 1], &[1.0, 0.0]),
            maps([1, 0, 2], &[]),
        ];
        for other in &others {
            assert_eq!(head_differences(ATTENTION, [&one, other]), None);
        }
        let empty = &others[2];
        assert_eq!(head_differences(ATTENTION, [empty, empty]), None);
        let flat = Array {
            shape: vec![2],
            data: vec![1.0, 0.0],
        };
        assert_eq!(head_differences(ATTENTION, [&flat, &flat]), None);
    }

    /// Rows of weights that each sum to one.
    fn rows(heads: usize, queries: usize, keys: usize) -> impl Strategy<Value = Array> {
        let numbers = proptest::collection::vec(0.01f32..1.0, heads * queries * keys);
        numbers.prop_map(move |mut data| {
            for row in data.chunks_mut(keys) {
                let sum: f32 = row.iter().sum();
                row.iter_mut().for_each(|weight| *weight /= sum);
            }
            maps([heads, queries, keys], &data)
        })
    }

    proptest! {
        #[test]
        fn differences_are_a_distance(
            (one, other, third) in (1usize..4, 1usize..6, 1usize..8)
                .prop_flat_map(|(heads, queries, keys)| (
                    rows(heads, queries, keys), rows(heads, queries, keys), rows(heads, queries, keys),
                ))
        ) {
            let between = |one: &Array, other: &Array| head_differences(ATTENTION, [one, other]).unwrap();
            let there = between(&one, &other);
            prop_assert_eq!(there.len(), one.shape[0]);
            prop_assert_eq!(&there, &between(&other, &one));
            for same in between(&one, &one) {
                prop_assert_eq!((same.mean, same.largest, same.query), (0.0, 0.0, 0));
            }
            let detour = between(&one, &third).into_iter().zip(between(&third, &other));
            for (direct, (first, second)) in there.iter().zip(detour) {
                prop_assert!(0.0 <= direct.mean && direct.mean <= direct.largest + 1e-6);
                prop_assert!(direct.largest <= 1.0 + 1e-6);
                prop_assert!(direct.query < one.shape[1]);
                prop_assert!(direct.mean <= first.mean + second.mean + 1e-6);
            }
        }
    }
}
