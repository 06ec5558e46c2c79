//! A sentence as a few weighted sums of its words' states, after the self-attentive sentence embedding
//! ([Lin et al. 2017](https://arxiv.org/abs/1703.03130)): `A = softmax(W₂ tanh(W₁Hᵀ))`, `M = AH`.

use serde::{Deserialize, Serialize};

use crate::Array;

/// The mark that ends a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// The period at the end, `.`
    Period,
    /// The question mark, `?`
    Question,
    /// The exclamation mark, `!`
    Exclamation,
}

impl Mark {
    /// All of them, in the order of the model's logits.
    pub const ALL: [Mark; 3] = [Mark::Period, Mark::Question, Mark::Exclamation];

    /// Returns the mark as a character.
    pub fn sign(self) -> char {
        match self {
            Mark::Period => '.',
            Mark::Question => '?',
            Mark::Exclamation => '!',
        }
    }

    /// Returns the index of the mark in [`ALL`](Self::ALL).
    pub fn place(self) -> usize {
        self as usize
    }
}

/// The most words that the model is asked to read.
pub const MOST_WORDS: usize = 40;

/// A sentence without its final marks, and the mark if there was exactly one: of "What?!" none can be predicted.
pub fn unmarked(sentence: &str) -> (&str, Option<Mark>) {
    let is_mark = |sign: char| matches!(sign, '.' | '?' | '!' | '…' | '。' | '？' | '！');
    let sentence = sentence.trim();
    let rest = sentence.trim_end_matches(|sign: char| is_mark(sign) || sign.is_whitespace());
    let marks = sentence[rest.len()..].chars();
    let mut marks = marks.filter(|sign| !sign.is_whitespace());
    let mark = match (marks.next(), marks.next()) {
        (Some(sign), None) => Mark::ALL.into_iter().find(|mark| mark.sign() == sign),
        _ => None,
    };
    (rest, mark)
}

/// The words of a sentence as the model reads them, in lower case: runs of letters and digits, held together by
/// apostrophes, and every other sign alone. Final marks are to be taken away first.
pub fn words(sentence: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![];
    let mut open = false;
    let signs: Vec<char> = sentence.chars().collect();
    for (place, &sign) in signs.iter().enumerate() {
        let sign = if sign == '’' { '\'' } else { sign };
        let follows_letter = signs
            .get(place + 1)
            .is_some_and(|next| next.is_alphanumeric());
        let is_inside = sign.is_alphanumeric() || (open && sign == '\'' && follows_letter);
        if sign.is_whitespace() || sign.is_control() || sign == '\u{ad}' {
            open = false;
            continue;
        }
        match words.last_mut().filter(|_| open && is_inside) {
            Some(word) => word.extend(sign.to_lowercase()),
            None => words.push(sign.to_lowercase().collect()),
        }
        open = is_inside;
    }
    words
}

/// A word of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadWord {
    /// The word as the model reads it.
    pub text: String,
    /// True if the word is in the vocabulary; the model treats all other words as one.
    pub known: bool,
}

/// The model's embedding and prediction of a sentence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EmbeddedSentence {
    /// The words, the final mark left out.
    pub words: Vec<ReadWord>,
    /// `A`, `[hops, words]`: a row of weights for each hop, which sums to one.
    pub weights: Array,
    /// `AAᵀ`, `[hops, hops]`: how much the rows of two hops overlap.
    pub overlap: Array,
    /// The penalty `‖AAᵀ − I‖²_F` on overlapping hops.
    pub penalty: f32,
    /// A logit for each of [`Mark::ALL`].
    pub logits: Vec<f32>,
    /// The softmax of the logits.
    pub probabilities: Vec<f32>,
    /// Probabilities with the rows of `M` of the hops that are switched off at zero.
    pub probabilities_left: Vec<f32>,
}

impl EmbeddedSentence {
    /// The weights of the hops that are not switched off, added up over hops and divided by their number, so that they
    /// sum to one: the paper's heat map over all hops. `None` if none is left.
    pub fn mean(&self, off: &[usize]) -> Option<Vec<f32>> {
        let words = self.words.len();
        let hops = self.weights.data.chunks(words.max(1)).enumerate();
        let left: Vec<&[f32]> = hops
            .filter_map(|(hop, row)| (!off.contains(&hop)).then_some(row))
            .collect();
        let share = |word: usize| left.iter().map(|row| row[word]).sum::<f32>();
        (!left.is_empty()).then(|| {
            (0..words)
                .map(|word| share(word) / left.len() as f32)
                .collect()
        })
    }
}

/// `AAᵀ` of `A`, `[hops, words]`.
pub fn overlap(weights: &Array) -> Array {
    let words = weights.shape.last().copied().unwrap_or(0).max(1);
    let rows: Vec<&[f32]> = weights.data.chunks(words).collect();
    let product = |one: &[f32], other: &[f32]| one.iter().zip(other).map(|(a, b)| a * b).sum();
    let data = rows
        .iter()
        .flat_map(|one| rows.iter().map(move |other| product(one, other)))
        .collect();
    Array {
        shape: vec![rows.len(); 2],
        data,
    }
}

/// `‖P − I‖²_F` of a square `P = AAᵀ`: 0 where every hop has all its weight on one word, and no two on the same.
pub fn penalty(overlap: &Array) -> f32 {
    let side = overlap.shape.first().copied().unwrap_or(0).max(1);
    let squares = overlap.data.iter().enumerate().map(|(place, value)| {
        let identity = if place / side == place % side {
            1.0
        } else {
            0.0
        };
        (value - identity) * (value - identity)
    });
    squares.sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn array(rows: &[&[f32]]) -> Array {
        Array {
            shape: vec![rows.len(), rows[0].len()],
            data: rows.concat(),
        }
    }

    #[test]
    fn the_final_mark_is_taken_away() {
        assert_eq!(unmarked("Run!"), ("Run", Some(Mark::Exclamation)));
        assert_eq!(
            unmarked(" Is it 5.30 ? "),
            ("Is it 5.30", Some(Mark::Question))
        );
        assert_eq!(unmarked("What?!"), ("What", None));
        assert_eq!(unmarked("I see..."), ("I see", None));
        assert_eq!(unmarked("I see。"), ("I see", None));
        assert_eq!(unmarked("no mark"), ("no mark", None));
        assert_eq!(unmarked("?"), ("", Some(Mark::Question)));
    }

    #[test]
    fn words_are_lower_case_and_signs_stand_alone() {
        assert_eq!(
            words("I don’t know, Tom"),
            ["i", "don't", "know", ",", "tom"]
        );
        assert_eq!(
            words("the boys' \"toys\""),
            ["the", "boys", "'", "\"", "toys", "\""]
        );
        assert_eq!(words("Is it 5.30"), ["is", "it", "5", ".", "30"]);
        assert_eq!(words("'cause"), ["'", "cause"]);
        assert!(words(" \t").is_empty());
    }

    #[test]
    fn the_penalty_is_that_of_the_formula() {
        // Both hops half on each word: AAᵀ is 1/2 everywhere, so 4 · (1/2)².
        let even = overlap(&array(&[&[0.5, 0.5], &[0.5, 0.5]]));
        assert_eq!(even.data, [0.5; 4]);
        assert_eq!(penalty(&even), 1.0);
        // Each hop on a word of its own: nothing to pay. On the same word: 1 for either side of the diagonal.
        assert_eq!(
            penalty(&overlap(&array(&[&[1.0, 0.0, 0.0], &[0.0, 0.0, 1.0]]))),
            0.0
        );
        assert_eq!(penalty(&overlap(&array(&[&[1.0, 0.0], &[1.0, 0.0]]))), 2.0);
    }

    #[test]
    fn the_mean_leaves_out_hops_that_are_off() {
        let word = |text: &str| ReadWord {
            text: text.to_owned(),
            known: true,
        };
        let weights = array(&[&[1.0, 0.0], &[0.5, 0.5], &[0.0, 1.0]]);
        let sentence = EmbeddedSentence {
            words: vec![word("are"), word("you")],
            overlap: overlap(&weights),
            penalty: 0.0,
            weights,
            logits: vec![],
            probabilities: vec![],
            probabilities_left: vec![],
        };
        assert_eq!(sentence.mean(&[]), Some(vec![0.5, 0.5]));
        assert_eq!(sentence.mean(&[2]), Some(vec![0.75, 0.25]));
        assert_eq!(sentence.mean(&[0, 1, 2]), None);
    }

    proptest! {
        #[test]
        fn no_letter_is_lost(sentence in "[A-Za-z0-9 ,'\"-]{0,40}") {
            let kept: String = words(&sentence).concat();
            let expected: String = sentence.chars().filter(|sign| *sign != ' ').collect();
            prop_assert_eq!(kept, expected.to_lowercase());
        }

        #[test]
        fn the_penalty_is_never_negative_and_overlap_is_symmetric(
            data in proptest::collection::vec(0f32..1.0, 12),
        ) {
            let overlap = overlap(&Array { shape: vec![3, 4], data });
            prop_assert!(penalty(&overlap) >= 0.0);
            for (row, column) in [(0, 1), (0, 2), (1, 2)] {
                prop_assert_eq!(overlap.data[3 * row + column], overlap.data[3 * column + row]);
            }
        }
    }
}
