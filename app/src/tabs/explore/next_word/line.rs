//! The weights of a query on each token, as plain data.

use attention_figures::{
    Theme,
    sentence::{self, Shade},
};
use attention_trace::Token;

/// The largest number of tokens displayed side by side.
const MOST_WORDS: usize = 32;
/// The number of listed tokens in a longer line.
pub const STRONGEST: usize = 8;

/// Tokens and the weights they get from a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    pub keys: Vec<Token>,
    pub weights: Vec<f32>,
    /// The place of the query itself, if it is among the tokens.
    pub current: Option<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    pub place: usize,
    /// The token at this place.
    pub token: Token,
    /// The attention weight on the token.
    pub weight: f32,
    /// True if the token is the query itself.
    pub is_current: bool,
}

impl Line {
    /// Returns true if there are too many tokens to be displayed side by side.
    pub fn is_long(&self) -> bool {
        self.keys.len() > MOST_WORDS
    }

    /// Returns the tokens at these places, as far as they exist.
    pub fn words(&self, places: impl IntoIterator<Item = usize>) -> Vec<Word> {
        let word = |place: usize| {
            Some(Word {
                place,
                token: self.keys.get(place)?.clone(),
                weight: *self.weights.get(place)?,
                is_current: self.current == Some(place),
            })
        };
        places.into_iter().filter_map(word).collect()
    }
}

impl Word {
    pub fn shade(&self, theme: Theme) -> Shade {
        sentence::shade_of(self.weight, self.is_current, theme)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(count: usize) -> Line {
        let token = |id: usize| Token {
            id: id as u32,
            text: format!("▁{id}"),
            unknown: false,
        };
        Line {
            keys: (0..count).map(token).collect(),
            weights: (0..count).map(|place| place as f32 / 100.0).collect(),
            current: Some(1),
        }
    }

    #[test]
    fn many_tokens_are_a_long_line() {
        assert!(!line(MOST_WORDS).is_long());
        assert!(line(MOST_WORDS + 1).is_long());
    }

    #[test]
    fn words_are_those_there_are() {
        let words = line(3).words([2, 1, 7]);
        let places: Vec<_> = words
            .iter()
            .map(|word| (word.place, word.is_current))
            .collect();
        assert_eq!(places, [(2, false), (1, true)]);
        assert_eq!(words[0].token.text, "▁2");
        assert_eq!(words[0].weight, 0.02);
    }
}
