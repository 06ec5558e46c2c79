//! The choices of decoding, step by step.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::{
    Token,
    search::{Fate, Sampling},
};

/// A way of searching for the next tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Search {
    /// The most probable token at every step.
    Greedy,
    /// The `width` most probable prefixes are kept; finished ones are ranked by
    /// `(1/L^length_penalty) Σ log p`.
    Beam {
        /// The number of prefixes kept.
        width: usize,
        /// The exponent α of the length `L`.
        length_penalty: f32,
    },
    /// Every token is drawn at random.
    Sampling {
        /// The settings of the probabilities that tokens are drawn from.
        how: Sampling,
        /// The seed of the random numbers.
        seed: u32,
    },
}

impl Search {
    /// Exponents of a length for which the power of every length that models take is a positive 32-bit
    /// number.
    pub const LENGTH_PENALTIES: RangeInclusive<f32> = -5.0..=5.0;

    /// Prefixes kept at every step.
    pub fn width(self) -> usize {
        match self {
            Search::Greedy | Search::Sampling { .. } => 1,
            Search::Beam { width, .. } => width,
        }
    }
}

/// A finished sequence with its probability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hypothesis {
    /// The tokens, the end of sentence included if it was reached.
    pub tokens: Vec<Token>,
    /// The text, special tokens left out.
    pub text: String,
    /// `Σ log p` over its tokens, natural logarithm; an end that the limit forced adds nothing.
    pub log_probability: f32,
    /// The value that it was ranked by: `log_probability` over `L^α`.
    pub score: f32,
}

/// A token the model considered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The token that is considered.
    pub token: Token,
    /// The logit of the token.
    pub logit: f32,
    /// The logarithm of its softmax probability.
    pub log_probability: f32,
}

/// One decoding time step of the sequence that a trace shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The row of the decoder's attention maps that made this prediction.
    pub row: usize,
    /// The token that was appended.
    pub chosen: Candidate,
    /// True if the caller forced the token. An end that the limit forced does not count.
    pub forced: bool,
    /// The most probable tokens, best first.
    pub candidates: Vec<Candidate>,
}

/// One token of a target that was given, not found: the model's prediction after the given tokens before it (teacher
/// forcing).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForcedToken {
    /// The token that was given.
    pub given: Candidate,
    /// The rank among all tokens of the vocabulary, the most probable first, from 1; equally probable tokens share one.
    pub rank: usize,
    /// The token that the model finds most probable here.
    pub best: Candidate,
}

/// A beginning that a search looked at: another one and one token more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Considered<T = Token> {
    /// The beginning that it continues, by its index among all that the search looked at; `None` for those that
    /// continue the search's start.
    pub parent: Option<usize>,
    /// The last token of the beginning.
    pub token: T,
    /// `Σ log p` over its tokens, what was forced before the search included.
    pub log_probability: f32,
    /// The fate of the beginning.
    pub fate: Fate,
}

/// One token that was drawn, with its odds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DrawnToken<T = Token> {
    /// The token that was drawn.
    pub token: T,
    /// The random number, from 0 up to 1.
    pub uniform: f64,
    /// The probability of all tokens together that stand before the drawn one in the vocabulary: the random number is
    /// at least this, and less than this and the drawn one's probability.
    pub before: f64,
    /// The number of tokens that could be drawn.
    pub left: usize,
    /// The model's most probable tokens, best first, the drawn one among them or behind them.
    pub odds: Vec<Odds<T>>,
}

/// A token that might have been drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Odds<T = Token> {
    /// The token that could be drawn.
    pub token: T,
    /// The probability by the model.
    pub model: f64,
    /// The probability when the token was drawn; 0 if a filter dropped it.
    pub drawn_from: f64,
}

impl<T> DrawnToken<T> {
    /// The same with other tokens.
    pub fn map<U>(&self, token: impl Fn(&T) -> U) -> DrawnToken<U> {
        let odds = |odds: &Odds<T>| Odds {
            token: token(&odds.token),
            model: odds.model,
            drawn_from: odds.drawn_from,
        };
        DrawnToken {
            token: token(&self.token),
            uniform: self.uniform,
            before: self.before,
            left: self.left,
            odds: self.odds.iter().map(odds).collect(),
        }
    }
}

/// The result of decoding: the sequences it found and, for the one shown, each step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decoding {
    /// The way of searching.
    pub search: Search,
    /// The sequences found, best first; never empty. The trace shows the first.
    pub hypotheses: Vec<Hypothesis>,
    /// The steps of the first hypothesis, one per token.
    pub steps: Vec<Step>,
    /// All beginnings that the search looked at after what was forced, parents first; empty if they were not kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub considered: Vec<Considered>,
    /// The draws of the tokens after those that were forced, in order; empty if no token was drawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub draws: Vec<DrawnToken>,
}

/// The prediction for one masked word, by a model that guesses such words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Guess {
    /// The masked token's place in the source, from 0: the row of logits that the guess is read from.
    pub place: usize,
    /// The most probable tokens, best first.
    pub candidates: Vec<Candidate>,
}
