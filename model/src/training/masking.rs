//! Masked words, which a model that reads in both directions learns to guess
//! ([Devlin et al. 2019](https://arxiv.org/abs/1810.04805), section 3.1).

use std::ops::Range;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::batch::Encoded;

/// The share of words that are guessed.
const GUESSED: f64 = 0.15;
/// The share of those in whose place the model reads the mask, and the share that another word replaces; the rest stay.
const HIDDEN: f64 = 0.8;
const REPLACED: f64 = 0.1;

/// The tokens that take the places of words.
#[derive(Clone, Debug)]
pub struct Masking {
    /// The token of a hidden word.
    pub mask: u32,
    /// The tokens of the vocabulary that are words.
    pub words: Range<u32>,
}

impl Masking {
    /// Returns a sentence, whose words are all labelled, with labels at the words that the seed draws, at least one, and
    /// with what the model reads in their places.
    pub fn hide(&self, sentence: &Encoded, seed: u64) -> Encoded {
        let mut rng = StdRng::seed_from_u64(seed);
        let words: Vec<usize> = (sentence.labels.iter().enumerate())
            .filter_map(|(place, label)| label.map(|_| place))
            .collect();
        let mut hidden = Encoded {
            labels: vec![None; sentence.labels.len()],
            ..sentence.clone()
        };
        let mut drawn: Vec<usize> = words.clone();
        drawn.retain(|_| rng.random_bool(GUESSED));
        if drawn.is_empty() && !words.is_empty() {
            drawn.push(words[rng.random_range(0..words.len())]);
        }
        for place in drawn {
            hidden.labels[place] = sentence.labels[place];
            let chance: f64 = rng.random();
            if chance < HIDDEN {
                hidden.input[place] = self.mask;
            } else if chance < HIDDEN + REPLACED {
                hidden.input[place] = rng.random_range(self.words.clone());
            }
        }
        hidden
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MASKING: Masking = Masking {
        mask: 4,
        words: 5..50,
    };

    proptest! {
        #[test]
        fn only_words_are_guessed_and_others_stay(
            words in prop::collection::vec(5u32..50, 0..40),
            seed in any::<u64>(),
        ) {
            let sentence = Encoded::masked(2, &words, 3);
            let hidden = MASKING.hide(&sentence, seed);
            prop_assert_eq!(hidden.input.len(), words.len() + 2);
            prop_assert_eq!((hidden.input[0], hidden.input[words.len() + 1]), (2, 3));
            prop_assert_eq!(hidden.predicted() > 0, !words.is_empty());
            for (place, label) in hidden.labels.iter().enumerate() {
                match label {
                    Some(label) => prop_assert_eq!(*label, words[place - 1]),
                    None => prop_assert_eq!(hidden.input[place], sentence.input[place]),
                }
            }
        }
    }

    #[test]
    fn of_the_guessed_words_most_are_hidden_and_some_are_others() {
        let words: Vec<u32> = (0..10_000).map(|index| 5 + index % 45).collect();
        let hidden = MASKING.hide(&Encoded::masked(2, &words, 3), 7);
        let guessed: Vec<usize> = (0..hidden.labels.len())
            .filter(|&place| hidden.labels[place].is_some())
            .collect();
        let share = |count: usize, of: usize| count as f64 / of as f64;
        let is_near = |share: f64, wanted: f64| (share - wanted).abs() < 0.03;
        assert!(is_near(share(guessed.len(), words.len()), GUESSED));
        let masked = guessed.iter().filter(|&&place| hidden.input[place] == 4);
        assert!(is_near(share(masked.count(), guessed.len()), HIDDEN));
        let same = guessed
            .iter()
            .filter(|&&place| Some(hidden.input[place]) == hidden.labels[place]);
        // One in 45 of the words drawn in place of another is the same.
        assert!(is_near(share(same.count(), guessed.len()), 0.1));
    }
}
