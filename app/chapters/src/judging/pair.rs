//! The texts that are compared, cut into tokens.

use crate::judging::parameters::Judging;
use attention_trace::judging::{
    Bleu, Gram, Overlap, Tokenization, grams, rouge_l, rouge_l_best, rouge_n,
};
use leptos::prelude::*;

use attention_core::state::ViewState;

/// The most tokens of a text: the longest common subsequence takes time in proportion to the product of both lengths.
pub const MOST_TOKENS: usize = 500;

/// The tokens of the candidate and of its references.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The first reference of the candidate.
    pub reference: Vec<String>,
    /// The tokens of further references.
    pub more: Vec<Vec<String>>,
    /// The tokens of the text to evaluate.
    pub candidate: Vec<String>,
}

impl Pair {
    /// Returns the tokens of the texts; `None` if a text is too long.
    fn of(judging: &Judging) -> Option<Self> {
        let tokens = |text: &str| {
            let tokens = judging.tokenization.tokens(text);
            (tokens.len() <= MOST_TOKENS).then_some(tokens)
        };
        Some(Pair {
            reference: tokens(&judging.reference)?,
            more: judging
                .more
                .iter()
                .map(|text| tokens(text))
                .collect::<Option<_>>()?,
            candidate: tokens(&judging.candidate)?,
        })
    }

    /// Returns all references, the first one first.
    pub fn references(&self) -> Vec<&[String]> {
        let more = self.more.iter().map(Vec::as_slice);
        std::iter::once(self.reference.as_slice())
            .chain(more)
            .collect()
    }

    /// Counts the candidate's n-grams for BLEU, against all references.
    pub fn bleu(&self) -> Bleu {
        Bleu::of_any(&self.references(), &self.candidate)
    }

    /// Counts the candidate's n-grams of `n` tokens for ROUGE, summed over all references.
    pub fn rouge_n(&self, n: usize) -> Overlap {
        rouge_n(&self.references(), &self.candidate, n)
    }

    /// Returns the index of the reference with the largest F of ROUGE-L, and this overlap.
    pub fn rouge_l(&self) -> (usize, Overlap) {
        let first = || (0, rouge_l(&self.reference, &self.candidate));
        rouge_l_best(&self.references(), &self.candidate).unwrap_or_else(first)
    }

    /// Returns the length of the shortest reference in tokens, the lecture's `l_s`; `None` of a single reference.
    pub fn shortest(&self) -> Option<usize> {
        let lengths = self.more.iter().map(Vec::len);
        Some(lengths.min()?.min(self.reference.len()))
    }

    /// Returns the pair with its first reference alone.
    pub fn with_first_reference(&self) -> Self {
        Pair {
            more: Vec::new(),
            ..self.clone()
        }
    }

    /// Returns the candidate's n-grams of `n` tokens, with their counts.
    pub fn grams(&self, n: usize) -> Vec<Gram> {
        grams(&self.references(), &self.candidate, n)
    }

    /// Returns the same pair with the candidate written twice in a row.
    pub fn with_candidate_twice(&self) -> Self {
        Pair {
            reference: self.reference.clone(),
            more: self.more.clone(),
            candidate: [self.candidate.as_slice(), &self.candidate].concat(),
        }
    }

    /// Returns the same pair with the candidate's tokens in reverse order.
    pub fn with_candidate_reversed(&self) -> Self {
        Pair {
            reference: self.reference.clone(),
            more: self.more.clone(),
            candidate: self.candidate.iter().rev().cloned().collect(),
        }
    }

    /// Returns the pair with candidate and first reference swapped, without further references.
    pub fn swapped(&self) -> Self {
        Pair {
            reference: self.candidate.clone(),
            more: Vec::new(),
            candidate: self.reference.clone(),
        }
    }
}

/// The input of the chapter's figures.
#[derive(Clone, Copy)]
pub struct Judged {
    /// The unit that texts are cut into.
    pub tokenization: Memo<Tokenization>,
    /// The texts' tokens; `None` if a text is too long.
    pub pair: Memo<Option<Pair>>,
}

impl Judged {
    /// Reads the texts and the tokenization from the view.
    pub fn of_view() -> Self {
        let state = ViewState::expect();
        Judged {
            tokenization: state.select(|view| view.chapters.of::<Judging>().tokenization),
            pair: state.select(|view| Pair::of(view.chapters.of::<Judging>())),
        }
    }

    /// Applies a function to the pair; `None` if a text is too long.
    pub fn with<T>(self, of: impl FnOnce(&Pair) -> T) -> Option<T> {
        self.pair.with(|pair| pair.as_ref().map(of))
    }

    /// Joins tokens into a text, with spaces between words.
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

    /// Returns the pair of the lecture's letters.
    pub fn lecture() -> Pair {
        Pair::of(&Judging::default()).unwrap()
    }

    /// Returns the same pair with a second reference, ABBD.
    pub fn with_second_reference() -> Pair {
        Pair {
            more: vec!["ABBD".chars().map(String::from).collect()],
            ..lecture()
        }
    }

    #[test]
    fn written_twice_clipping_leaves_4_of_10() {
        let twice = lecture().with_candidate_twice();
        let overlap = twice.bleu().overlaps[0];
        assert_eq!((overlap.matched, overlap.candidate), (4, 10));
    }

    #[test]
    fn another_reference_counts_what_the_first_lacks() {
        let with = |more: &[&str]| {
            Pair::of(&Judging {
                more: more.iter().map(|&text| text.to_owned()).collect(),
                ..Judging::default()
            })
            .unwrap()
        };
        // The second B is in the second reference.
        assert_eq!(with(&["ABB"]).bleu().overlaps[0].matched, 5);
        assert_eq!(with(&["ABB"]).grams(1)[1].counted(), 2);
        assert_eq!(with(&["ABCD"]).bleu().brevity(), 1.0);
        assert_eq!(with(&["ABB"]).swapped().bleu(), with(&[]).swapped().bleu());
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
