//! The tokens of a trained model: three special ones, then a character each.

use std::collections::BTreeSet;

use super::fault::TrainingFault;
use super::numerals::spelled;
use super::settings::Architecture;
use super::task::{SEPARATOR, Task};

/// The token that fills short rows and that an encoder–decoder starts from.
pub const PADDING: u32 = 0;

/// The token that ends a text and that a decoder-only model starts from.
pub const END: u32 = 1;

/// The token for a character that the vocabulary lacks.
pub const UNKNOWN: u32 = 2;

/// The special tokens, in the order of their numbers.
const SPECIAL: [&str; 3] = ["<pad>", "</s>", "<unk>"];

/// The most characters in a vocabulary.
const MOST_CHARACTERS: usize = 256;

/// The tokens of a model, in the order of their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vocabulary(Vec<char>);

impl Vocabulary {
    /// The characters of `task`, sorted. One model that reads input and output has the sign between them too.
    ///
    /// # Errors
    /// If the visitor's own text has too many.
    pub fn of(task: &Task, architecture: Architecture) -> Result<Self, TrainingFault> {
        let mut characters: BTreeSet<char> = match task {
            Task::Back { sequences, .. }
            | Task::Repeat { sequences }
            | Task::Copy { sequences }
            | Task::Reverse { sequences }
            | Task::Sort { sequences } => sequences.alphabet().collect(),
            Task::Addition { .. } => ('0'..='9').chain(['+']).collect(),
            Task::Brackets { .. } => Task::BRACKETS.iter().flat_map(|&(a, b)| [a, b]).collect(),
            Task::Numerals { digits } => {
                let words = (0..10_u64.pow(*digits as u32)).map(spelled);
                let words = words.flat_map(|words| words.chars().collect::<Vec<_>>());
                words.chain('0'..='9').collect()
            }
            Task::Lines { .. } | Task::Pairs { .. } => {
                let examples = task.own().into_iter();
                let sides = examples.flat_map(|example| [example.input, example.output]);
                sides
                    .flat_map(|side| side.chars().collect::<Vec<_>>())
                    .collect()
            }
        };
        if task.has_output() && architecture == Architecture::DecoderOnly {
            characters.insert(SEPARATOR);
        }
        let count = characters.len();
        match count <= MOST_CHARACTERS {
            true => Ok(Vocabulary(characters.into_iter().collect())),
            false => Err(TrainingFault::TooManyCharacters {
                count,
                most: MOST_CHARACTERS,
            }),
        }
    }

    /// Number of tokens, special ones included.
    #[allow(
        clippy::len_without_is_empty,
        reason = "the special tokens are always there"
    )]
    pub fn len(&self) -> usize {
        SPECIAL.len() + self.0.len()
    }

    /// The token of a character; `None` where there is none.
    pub fn id(&self, character: char) -> Option<u32> {
        let place = self.0.binary_search(&character).ok()?;
        Some((SPECIAL.len() + place) as u32)
    }

    /// The texts of the tokens as `tokenizer.json` has them, in the order of their numbers: a space is `▁`.
    pub fn pieces(&self) -> impl Iterator<Item = String> {
        let characters = self.0.iter().map(|&character| match character {
            ' ' => "▁".to_owned(),
            character => character.to_string(),
        });
        SPECIAL
            .iter()
            .map(|&special| special.to_owned())
            .chain(characters)
    }

    /// True if a space is a token of this vocabulary.
    pub fn has_spaces(&self) -> bool {
        self.id(' ').is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::Sequences;

    #[test]
    fn every_character_has_a_token() {
        let task = Task::Copy {
            sequences: Sequences {
                letters: 3,
                ..Sequences::default()
            },
        };
        let one = Vocabulary::of(&task, Architecture::DecoderOnly).unwrap();
        assert_eq!(
            one.pieces().collect::<Vec<_>>(),
            ["<pad>", "</s>", "<unk>", "=", "a", "b", "c"]
        );
        assert_eq!((one.len(), one.id('='), one.id('b')), (7, Some(3), Some(5)));
        let two = Vocabulary::of(&task, Architecture::EncoderDecoder).unwrap();
        assert_eq!((two.len(), two.id('='), two.id('d')), (6, None, None));
    }

    #[test]
    fn the_visitors_own_characters_are_all_there() {
        let task = Task::Pairs {
            text: "一 二=one two".to_owned(),
        };
        let vocabulary = Vocabulary::of(&task, Architecture::EncoderDecoder).unwrap();
        assert!(
            "一二onetw "
                .chars()
                .all(|character| vocabulary.id(character).is_some())
        );
        assert!(vocabulary.has_spaces());
        let many: String = ('\u{4e00}'..'\u{4f01}')
            .map(|character| format!("{character}\n"))
            .collect();
        let task = Task::Lines { text: many };
        assert!(matches!(
            Vocabulary::of(&task, Architecture::DecoderOnly),
            Err(TrainingFault::TooManyCharacters {
                count: 257,
                most: 256
            })
        ));
    }
}
