//! The contents of a round of a game, drawn from its number alone, so that a link leads to the same round.

use attention_trace::{AttentionKind, AttentionLayer, ShuffledRow, shuffled_key};

/// The number of cards on the table.
pub const CARDS: usize = 10;
/// The largest number on a card.
const HIGHEST: usize = 9;
/// The rows and columns of the field of digits.
pub const FIELD: (usize, usize) = (10, 14);
/// The digits among which the 8 is hidden.
const LIKE_EIGHT: [char; 4] = ['3', '6', '9', '0'];
/// The number of passes of both teams together.
pub const PASSES: usize = 24;
/// The number of players of each team.
pub const PLAYERS: usize = 3;
/// The steps during which a star crosses the scene.
pub const STAR: std::ops::Range<usize> = 9..16;

/// Returns a random order of `count` things; `draw` tells several of a round apart.
fn order(round: u32, draw: usize, count: usize) -> Vec<usize> {
    let row = ShuffledRow {
        attention: AttentionLayer {
            kind: AttentionKind::EncoderSelf,
            layer: 0,
        },
        head: 0,
        query: draw,
    };
    shuffled_key(round, row, count)
}

/// A card with its number and colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Card {
    pub number: usize,
    pub is_black: bool,
}

/// Returns the cards on the table. Of nine red cards and nine black ones, ten always have some of both.
pub fn cards(round: u32) -> Vec<Card> {
    let deck = order(round, 0, 2 * HIGHEST).into_iter().take(CARDS);
    deck.map(|index| Card {
        number: index % HIGHEST + 1,
        is_black: index < HIGHEST,
    })
    .collect()
}

/// Returns the sum of the black cards.
pub fn black_sum(cards: &[Card]) -> usize {
    let black = cards.iter().filter(|card| card.is_black);
    black.map(|card| card.number).sum()
}

/// Returns the number of red cards.
pub fn red_count(cards: &[Card]) -> usize {
    cards.iter().filter(|card| !card.is_black).count()
}

/// Returns the digits of the field, row by row, and the place of the 8.
pub fn field(round: u32) -> (Vec<char>, usize) {
    let count = FIELD.0 * FIELD.1;
    let order = order(round, 1, count);
    let eight = order[0];
    let digit = |(place, &drawn): (usize, &usize)| match place == eight {
        true => '8',
        false => LIKE_EIGHT[drawn % LIKE_EIGHT.len()],
    };
    (order.iter().enumerate().map(digit).collect(), eight)
}

/// The holders of both balls after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scene {
    /// The player of the white team who has the white team's ball, from 0.
    pub white: usize,
    /// The player of the black team who has the black team's ball.
    pub black: usize,
}

/// Returns the scene after each step, before the first one included. In each step one team passes its ball to another of
/// its players.
pub fn passes(round: u32) -> Vec<Scene> {
    let mut scene = Scene { white: 0, black: 0 };
    let mut scenes = vec![scene];
    for step in 0..PASSES {
        let drawn = order(round, 2 + step, 4);
        let next = |holder: usize| (holder + 1 + drawn[0] % (PLAYERS - 1)) % PLAYERS;
        match drawn[1] < 2 {
            true => scene.white = next(scene.white),
            false => scene.black = next(scene.black),
        }
        scenes.push(scene);
    }
    scenes
}

/// Returns the number of passes among the white players.
pub fn white_passes(scenes: &[Scene]) -> usize {
    let pairs = scenes.windows(2);
    pairs.filter(|pair| pair[0].white != pair[1].white).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sums_and_counts_are_those_of_the_cards() {
        let card = |number, is_black| Card { number, is_black };
        let cards = [card(3, true), card(9, false), card(5, true)];
        assert_eq!((black_sum(&cards), red_count(&cards)), (8, 1));
    }

    #[test]
    fn a_pass_is_a_change_of_the_holder() {
        let scene = |white, black| Scene { white, black };
        let scenes = [scene(0, 0), scene(1, 0), scene(1, 2), scene(0, 2)];
        assert_eq!(white_passes(&scenes), 2);
    }

    proptest! {
        #[test]
        fn every_round_can_be_played(round in any::<u32>()) {
            let cards = cards(round);
            prop_assert_eq!(cards.len(), CARDS);
            prop_assert!((1..CARDS).contains(&red_count(&cards)));
            for (place, card) in cards.iter().enumerate() {
                prop_assert!(!cards[..place].contains(card));
            }
            let (digits, eight) = field(round);
            prop_assert_eq!(digits.iter().filter(|&&digit| digit == '8').count(), 1);
            prop_assert_eq!(digits[eight], '8');
            let scenes = passes(round);
            prop_assert_eq!(scenes.len(), PASSES + 1);
            for pair in scenes.windows(2) {
                let changed = [pair[0].white != pair[1].white, pair[0].black != pair[1].black];
                prop_assert_eq!(changed.iter().filter(|is| **is).count(), 1);
            }
        }
    }
}
