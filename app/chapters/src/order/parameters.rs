//! Parameters of chapter "order".

use attention_core::state::{Counted, Entry, Parameters, Span};
use serde::{Deserialize, Serialize};

/// The words' order, and the model's sources of order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct WordOrder {
    /// The index of the token at each place; if this is no permutation, the tokens are reversed, so that the
    /// experiment starts with a change.
    #[serde(rename = "words")]
    pub places: Vec<usize>,
    /// True if the maps come from a pass with positions.
    #[serde(rename = "words-positions")]
    pub positions: bool,
    /// True if the maps come from a pass in which the queries of a decoder-only model also see later keys.
    #[serde(rename = "words-unmasked")]
    pub unmasked: bool,
}

impl WordOrder {
    /// The order of that many tokens.
    pub fn of(&self, tokens: usize) -> Vec<usize> {
        let mut sorted = self.places.clone();
        sorted.sort_unstable();
        if sorted.into_iter().eq(0..tokens) {
            return self.places.clone();
        }
        (0..tokens).rev().collect()
    }

    /// Moves the token at one place of `tokens` to another; those between make room.
    pub fn move_token(&mut self, tokens: usize, from: usize, to: usize) {
        let mut places = self.of(tokens);
        if from < tokens && to < tokens {
            let token = places.remove(from);
            places.insert(to, token);
        }
        self.places = places;
    }
}

impl Parameters for WordOrder {
    const CHAPTER: &'static str = "order";
    const ENTRIES: &'static [Entry] = &[Entry::named("words")
        .counting(Counted::All)
        .until(Span::Text)];
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use attention_core::state::Reader;

    prop_compose! {
        pub fn order()(
            places in any::<Vec<usize>>(),
            positions in any::<bool>(),
            unmasked in any::<bool>(),
        ) -> WordOrder {
            WordOrder { places, positions, unmasked }
        }
    }

    #[test]
    fn tokens_move_and_others_make_room() {
        let mut order = WordOrder::default();
        order.move_token(4, 0, 2);
        assert_eq!(order.places, [2, 1, 3, 0]);
        order.move_token(4, 3, 0);
        assert_eq!(order.places, [0, 2, 1, 3]);
        order.move_token(4, 3, 4);
        assert_eq!(order.places, [0, 2, 1, 3]);
    }

    #[test]
    fn what_is_no_permutation_is_reversed() {
        for places in [vec![], vec![0, 0, 1], vec![0, 1], vec![1, 2, 3]] {
            let order = WordOrder {
                places,
                ..WordOrder::default()
            };
            assert_eq!(order.of(3), [2, 1, 0]);
        }
    }

    #[test]
    fn as_typed_is_an_order_like_others() {
        let typed = WordOrder::read(&Reader::new("words=0.1.2"));
        assert_eq!(typed.of(3), [0, 1, 2]);
    }
}
