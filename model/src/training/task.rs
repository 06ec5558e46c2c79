//! A task in which position is all that matters: random letters, and at every place the letter that
//! stood so many places before is to be named.

use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde::{Deserialize, Serialize};

use super::TrainError;
use super::batch::Encoded;
use crate::error::ModelError;
use crate::tokenizer::Tokenizer;

/// The entry of `config.json` that says which task a model has learned.
pub const TASK_ENTRY: &str = "task";

/// The letters of the task.
pub const LETTERS: std::ops::RangeInclusive<char> = 'a'..='z';

/// The task and the sequences it is learned from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// How many places back the letter stands that is to be named.
    pub back: usize,
    /// Letters of the shortest sequence learned from.
    pub shortest: usize,
    /// Letters of the longest sequence learned from.
    pub longest: usize,
    /// Number of sequences learned from.
    pub examples: usize,
}

impl Task {
    /// # Errors
    /// If no sequence can be made, or there is nothing to name in one.
    pub fn check(&self) -> Result<(), TrainError> {
        if self.shortest > self.longest {
            return Err(TrainError::Task("shortest is longer than longest"));
        }
        if self.back >= self.shortest {
            return Err(TrainError::Task(
                "the shortest sequence has nothing to name",
            ));
        }
        Ok(())
    }

    /// The tokens of the letters.
    ///
    /// # Errors
    /// If the tokenizer has no piece for one of them.
    pub fn letters(&self, tokenizer: &Tokenizer) -> Result<Vec<u32>, ModelError> {
        LETTERS
            .map(|letter| {
                let piece = letter.to_string();
                tokenizer.id(&piece).ok_or_else(|| {
                    ModelError::Tokenizer(format!("it has no piece for the letter {letter}"))
                })
            })
            .collect()
    }

    /// `count` random sequences of the lengths that are learned from.
    pub fn sequences(&self, letters: &[u32], count: usize, seed: u64) -> Vec<Vec<u32>> {
        let mut rng = StdRng::seed_from_u64(seed);
        (0..count)
            .map(|_| {
                let length = rng.random_range(self.shortest..=self.longest);
                random(letters, length, &mut rng)
            })
            .collect()
    }

    /// `count` random sequences of one length.
    pub fn sequences_of(
        &self,
        letters: &[u32],
        length: usize,
        count: usize,
        seed: u64,
    ) -> Vec<Vec<u32>> {
        let mut rng = StdRng::seed_from_u64(seed);
        (0..count)
            .map(|_| random(letters, length, &mut rng))
            .collect()
    }

    /// What a model reads, and what it is to name at each place.
    pub fn encode(&self, start: u32, sequence: &[u32]) -> Encoded {
        Encoded::back(start, self.back, sequence)
    }
}

fn random(letters: &[u32], length: usize, rng: &mut StdRng) -> Vec<u32> {
    (0..length)
        .map(|_| letters[rng.random_range(0..letters.len())])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASK: Task = Task {
        back: 2,
        shortest: 3,
        longest: 6,
        examples: 10,
    };

    #[test]
    fn the_letter_so_many_places_back_is_named() {
        let encoded = TASK.encode(1, &[10, 11, 12, 13]);
        assert_eq!(encoded.input, [1, 10, 11, 12, 13]);
        assert_eq!(encoded.labels, [None, None, None, Some(10), Some(11)]);
    }

    #[test]
    fn sequences_are_the_seeds_and_have_the_lengths_asked_for() {
        let letters = [7, 8, 9];
        let sequences = TASK.sequences(&letters, 200, 5);
        assert_eq!(sequences, TASK.sequences(&letters, 200, 5));
        assert_ne!(sequences, TASK.sequences(&letters, 200, 6));
        let lengths = |length| sequences.iter().filter(|s| s.len() == length).count();
        assert!((3..=6).all(|length| lengths(length) > 0));
        assert_eq!((3..=6).map(lengths).sum::<usize>(), 200);
        assert!(
            sequences
                .concat()
                .iter()
                .all(|token| letters.contains(token))
        );
    }

    #[test]
    fn tasks_without_anything_to_name_are_refused() {
        assert!(TASK.check().is_ok());
        assert!(Task { back: 3, ..TASK }.check().is_err());
        assert!(Task { longest: 2, ..TASK }.check().is_err());
    }
}
