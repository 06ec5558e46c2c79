//! A task that depends on positions only: the sequences are random characters, and at every place the character a fixed
//! number of places before is to be named.

use std::collections::HashSet;

use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde::{Deserialize, Serialize};

use super::TrainError;
use super::batch::Encoded;
use crate::error::ModelError;
use crate::tokenizer::Tokenizer;

/// The entry of `config.json` that names the task a model has learned.
pub const TASK_ENTRY: &str = "task";

/// The characters of a task that names none.
const LETTERS: std::ops::RangeInclusive<char> = 'a'..='z';

/// The task and the sequences it is learned from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// The characters of the sequences, each of them once; the letters from a to z by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub characters: Option<String>,
    /// The distance, in places, to the character that is to be named.
    pub back: usize,
    /// The length of the shortest training sequence.
    pub shortest: usize,
    /// The length of the longest training sequence.
    pub longest: usize,
    /// The number of training sequences.
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
        let mut met = HashSet::new();
        let is_new = |character: char| !character.is_whitespace() && met.insert(character);
        let characters = self.characters();
        if characters.is_empty() || !characters.into_iter().all(is_new) {
            return Err(TrainError::Task(
                "there is no character, or a space, or one character twice",
            ));
        }
        Ok(())
    }

    /// Returns the characters of the sequences.
    pub fn characters(&self) -> Vec<char> {
        match &self.characters {
            Some(characters) => characters.chars().collect(),
            None => LETTERS.collect(),
        }
    }

    /// Returns the tokens of the characters.
    ///
    /// # Errors
    /// If the tokenizer has no piece for one of them.
    pub fn letters(&self, tokenizer: &Tokenizer) -> Result<Vec<u32>, ModelError> {
        let id = |character: char| {
            tokenizer.id(&character.to_string()).ok_or_else(|| {
                ModelError::Tokenizer(format!("it has no piece for the character {character}"))
            })
        };
        self.characters().into_iter().map(id).collect()
    }

    /// Returns `count` random sequences with lengths as in training.
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

    /// Returns the tokens that a model reads, and the label at each place.
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
        characters: None,
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

    #[test]
    fn characters_are_the_letters_unless_others_are_named() {
        let of = |characters: &str| Task {
            characters: Some(characters.to_owned()),
            ..TASK
        };
        assert_eq!(TASK.characters().len(), 26);
        assert_eq!(of("猿啸哀").characters(), ['猿', '啸', '哀']);
        assert!(of("猿啸哀").check().is_ok());
        assert!(of("猿啸猿").check().is_err());
        assert!(of("猿 啸").check().is_err());
        assert!(of("").check().is_err());
    }
}
