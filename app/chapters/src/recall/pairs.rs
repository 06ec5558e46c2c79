//! The pairs that are written by hand: four orthogonal keys, a fifth one, and a sixth.

use attention_core::i18n::{Locale, t_string};
use attention_trace::{
    Array,
    lessons::{StatePairs, StateRule},
};
use leptos_i18n::I18nContext;

use super::parameters::{Fifth, RecallView};

/// The width of keys and values.
pub const WIDTH: usize = 4;
/// The number of pairs.
pub const COUNT: usize = 6;

/// The vectors of the keys: four orthogonal ones, then two that are orthogonal to each other and have half of each of those.
const KEYS: [[f32; WIDTH]; COUNT] = [
    [1.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0],
    [0.0, 0.0, 0.0, 1.0],
    [0.5, 0.5, 0.5, 0.5],
    [0.5, -0.5, 0.5, -0.5],
];

/// The value of each pair, by its place among the four.
const VALUES: [usize; COUNT] = [0, 1, 2, 3, 1, 2];

/// A pair: the places of its key and of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The place of the key among all keys.
    pub key: usize,
    /// The place of the value among the four.
    pub value: usize,
}

/// Returns the pairs in the order of writing.
pub fn pairs(fifth: Fifth) -> [Pair; COUNT] {
    std::array::from_fn(|place| Pair {
        key: match (place, fifth) {
            (4, Fifth::Again) => 0,
            _ => place,
        },
        value: VALUES[place],
    })
}

/// Returns the keys that are shown, in the order of their first pair.
pub fn shown_keys(fifth: Fifth) -> Vec<usize> {
    let keys = 0..COUNT;
    keys.filter(|key| pairs(fifth).iter().any(|pair| pair.key == *key))
        .collect()
}

/// Returns the key that is asked for.
pub fn asked_key(view: &RecallView) -> usize {
    let keys = shown_keys(view.fifth);
    let last = keys.len().saturating_sub(1);
    keys.get(view.query.min(last)).copied().unwrap_or_default()
}

/// Returns the value that was shown last with a key after so many pairs; `None` before its first.
pub fn last_value(fifth: Fifth, key: usize, written: usize) -> Option<usize> {
    let pairs = pairs(fifth);
    let mut shown = pairs[..written.min(COUNT)].iter().rev();
    Some(shown.find(|pair| pair.key == key)?.value)
}

/// Returns the pairs and the query for a rule.
pub fn asked(view: &RecallView, rule: StateRule) -> StatePairs {
    let pairs = pairs(view.fifth);
    let value = |pair: &Pair| -> Vec<f32> {
        let places = 0..WIDTH;
        places.map(|place| f32::from(place == pair.value)).collect()
    };
    let array = |rows: Vec<Vec<f32>>| Array {
        shape: vec![COUNT, WIDTH],
        data: rows.concat(),
    };
    StatePairs {
        rule,
        keys: array(pairs.iter().map(|pair| KEYS[pair.key].to_vec()).collect()),
        values: array(pairs.iter().map(value).collect()),
        strengths: vec![view.strength as f32 / 10.0; COUNT],
        query: KEYS[asked_key(view)].to_vec(),
    }
}

/// Returns the names of the keys.
pub fn key_names(i18n: I18nContext<Locale>) -> [String; COUNT] {
    [
        t_string!(i18n, recall.key_1),
        t_string!(i18n, recall.key_2),
        t_string!(i18n, recall.key_3),
        t_string!(i18n, recall.key_4),
        t_string!(i18n, recall.key_5),
        t_string!(i18n, recall.key_6),
    ]
    .map(str::to_owned)
}

/// Returns the names of the four values.
pub fn value_names(i18n: I18nContext<Locale>) -> [String; WIDTH] {
    [
        t_string!(i18n, recall.value_1),
        t_string!(i18n, recall.value_2),
        t_string!(i18n, recall.value_3),
        t_string!(i18n, recall.value_4),
    ]
    .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_length_1_and_the_first_four_are_orthogonal() {
        let dot = |a: usize, b: usize| -> f32 {
            let products = KEYS[a].iter().zip(KEYS[b]);
            products.map(|(one, other)| one * other).sum()
        };
        for one in 0..COUNT {
            for other in 0..COUNT {
                let expected = match (one.min(other), one.max(other)) {
                    (one, other) if one == other => 1.0,
                    (0..4, 4..) => 0.5,
                    _ => 0.0,
                };
                assert_eq!(dot(one, other).abs(), expected, "{one} {other}");
            }
        }
    }

    #[test]
    fn the_first_key_comes_again_with_another_value() {
        assert_eq!(shown_keys(Fifth::New), [0, 1, 2, 3, 4, 5]);
        assert_eq!(shown_keys(Fifth::Again), [0, 1, 2, 3, 5]);
        assert_eq!(last_value(Fifth::Again, 0, 4), Some(0));
        assert_eq!(last_value(Fifth::Again, 0, 5), Some(1));
        assert_eq!(last_value(Fifth::New, 0, 6), Some(0));
        assert_eq!(last_value(Fifth::New, 5, 5), None);
        let view = RecallView {
            fifth: Fifth::Again,
            query: usize::MAX,
            ..RecallView::default()
        };
        assert_eq!(asked_key(&view), 5);
        assert_eq!(asked(&view, StateRule::Delta).query, KEYS[5]);
    }
}
