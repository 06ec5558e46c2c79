//! The order that [`Edit::Shuffle`](crate::Edit::Shuffle) puts the weights of a row in.

use crate::site::{AttentionKind, AttentionLayer};

/// A row of a head's attention weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShuffledRow {
    /// The attention that the head is in.
    pub attention: AttentionLayer,
    /// The index of the head.
    pub head: usize,
    /// The position of the query.
    pub query: usize,
}

/// Returns the order in which a row's weights are shuffled: key `i` gets the weight of key `order[i]`. `keys` is the
/// number of keys that the query sees.
///
/// The keys are sorted by a number each, SplitMix64's of seed, row and key (Steele et al. 2014), so that every row has
/// an order of its own, in which a pass over the whole text and one token by token agree, on every machine.
pub fn shuffled_key(seed: u32, row: ShuffledRow, keys: usize) -> Vec<usize> {
    let ShuffledRow {
        attention,
        head,
        query,
    } = row;
    let kind = match attention.kind {
        AttentionKind::EncoderSelf => 0,
        AttentionKind::DecoderSelf => 1,
        AttentionKind::Cross => 2,
    };
    let of_row = [kind, attention.layer, head, query]
        .into_iter()
        .fold(mixed(u64::from(seed)), |state, part| {
            mixed(state ^ part as u64)
        });
    let mut order: Vec<usize> = (0..keys).collect();
    order.sort_by_cached_key(|&key| (mixed(of_row ^ key as u64), key));
    order
}

/// One step of SplitMix64.
fn mixed(state: u64) -> u64 {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

/// Total variation of two rows of weights, `½ Σ |p − q|`: how much weight moved, from 0 to 1.
pub fn total_variation(before: &[f32], after: &[f32]) -> f32 {
    let moved = before.iter().zip(after);
    0.5 * moved.map(|(one, other)| (one - other).abs()).sum::<f32>()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::is_permutation;

    fn row(head: usize, query: usize) -> ShuffledRow {
        ShuffledRow {
            attention: "decoder.1.cross".to_owned().try_into().unwrap(),
            head,
            query,
        }
    }

    proptest! {
        #[test]
        fn every_key_has_one_weight(seed: u32, head in 0usize..8, query in 0usize..40, keys in 0usize..40) {
            prop_assert!(is_permutation(&shuffled_key(seed, row(head, query), keys), keys));
        }

        #[test]
        fn weight_that_moved_is_between_none_and_all(weights in prop::collection::vec(0.0f32..1.0, 2..20), seed: u32) {
            let sum: f32 = weights.iter().sum::<f32>().max(1e-6);
            let weights: Vec<f32> = weights.iter().map(|weight| weight / sum).collect();
            let order = shuffled_key(seed, row(0, 0), weights.len());
            let moved: Vec<f32> = order.iter().map(|&key| weights[key]).collect();
            let distance = total_variation(&weights, &moved);
            prop_assert!((0.0..=1.0 + 1e-5).contains(&distance));
            prop_assert_eq!(total_variation(&weights, &weights), 0.0);
        }
    }

    #[test]
    fn rows_heads_and_seeds_have_orders_of_their_own() {
        let order = |seed, head, query| shuffled_key(seed, row(head, query), 12);
        let one = order(7, 0, 0);
        assert_eq!(one, order(7, 0, 0));
        for other in [order(8, 0, 0), order(7, 1, 0), order(7, 0, 1)] {
            assert_ne!(one, other);
        }
    }

    #[test]
    fn splitmix_gives_its_published_numbers() {
        // The first two of the reference implementation seeded with 1234567.
        assert_eq!(mixed(1_234_567), 6_457_827_717_110_365_317);
        let second = 1_234_567_u64.wrapping_add(0x9e37_79b9_7f4a_7c15);
        assert_eq!(mixed(second), 3_203_168_211_198_807_973);
    }
}
