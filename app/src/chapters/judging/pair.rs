//! The two texts that are compared, cut into tokens.

use attention_trace::judging::{Bleu, Tokenization};
use leptos::prelude::*;

use crate::state::{Judging, ViewState};

/// The most tokens of a text: the longest common subsequence takes time by the product of both lengths.
pub const MOST_TOKENS: usize = 500;

/// The tokens of both texts.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// What the candidate is compared with.
    pub reference: Vec<String>,
    /// What is judged.
    pub candidate: Vec<String>,
}

impl Pair {
    /// The tokens of the texts; `None` where one is too long.
    fn of(judging: &Judging) -> Option<Self> {
        let tokens = |text: &str| {
            let tokens = judging.tokenization.tokens(text);
            (tokens.len() <= MOST_TOKENS).then_some(tokens)
        };
        Some(Pair {
            reference: tokens(&judging.reference)?,
            candidate: tokens(&judging.candidate)?,
        })
    }

    /// Its n-grams, counted.
    pub fn bleu(&self) -> Bleu {
        Bleu::of(&self.reference, &self.candidate)
    }

    /// The same with the candidate written twice in a row.
    pub fn with_candidate_twice(&self) -> Self {
        Pair {
            reference: self.reference.clone(),
            candidate: [self.candidate.as_slice(), &self.candidate].concat(),
        }
    }

    /// The same with the candidate backwards.
    pub fn with_candidate_reversed(&self) -> Self {
        Pair {
            reference: self.reference.clone(),
            candidate: self.candidate.iter().rev().cloned().collect(),
        }
    }

    /// Candidate and reference in each other's place.
    pub fn swapped(&self) -> Self {
        Pair {
            reference: self.candidate.clone(),
            candidate: self.reference.clone(),
        }
    }
}

/// What the chapter's figures are computed from.
#[derive(Clone, Copy)]
pub struct Judged {
    /// What counts as a token.
    pub tokenization: Memo<Tokenization>,
    /// The tokens; `None` where a text is too long.
    pub pair: Memo<Option<Pair>>,
}

impl Judged {
    /// What the view asks for.
    pub fn of_view() -> Self {
        let state = ViewState::expect();
        Judged {
            tokenization: state.select(|view| view.chapters.judging.tokenization),
            pair: state.select(|view| Pair::of(&view.chapters.judging)),
        }
    }

    /// Something of the pair; `None` where a text is too long.
    pub fn with<T>(self, of: impl FnOnce(&Pair) -> T) -> Option<T> {
        self.pair.with(|pair| pair.as_ref().map(of))
    }

    /// Tokens as a text.
    pub fn joined(self, tokens: &[String]) -> String {
        match self.tokenization.get() {
            Tokenization::Characters => tokens.concat(),
            Tokenization::Words => tokens.join(" "),
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// The lecture's letters.
    pub fn lecture() -> Pair {
        Pair::of(&Judging::default()).unwrap()
    }

    #[test]
    fn written_twice_clipping_leaves_4_of_10() {
        let twice = lecture().with_candidate_twice();
        let overlap = twice.bleu().overlaps[0];
        assert_eq!((overlap.matched, overlap.candidate), (4, 10));
    }

    #[test]
    fn texts_that_are_too_long_are_not_compared() {
        let of = |letters: usize| {
            Pair::of(&Judging {
                candidate: "A".repeat(letters),
                ..Judging::default()
            })
        };
        assert!(of(MOST_TOKENS).is_some());
        assert_eq!(of(MOST_TOKENS + 1), None);
    }
}
