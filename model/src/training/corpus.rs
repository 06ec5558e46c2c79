//! Sentence pairs, and their split into training, validation and test sets.

use std::collections::HashSet;
use std::path::Path;

use attention_trace::text::{is_blank, without_byte_order_mark};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Source, TrainError};
use crate::files::{LARGEST_DATA, read_text};
use attention_trace::fnv1a;

/// A sentence pair; the source is absent for a language model.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Example {
    /// The sentence to translate.
    pub source: Option<String>,
    /// The translation, or a language model's text.
    pub target: String,
}

/// The reason why the columns of a line are not a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PairFault {
    /// There are too few columns.
    #[error("a column is missing")]
    Column,
    /// The target has no visible character.
    #[error("the target is empty")]
    Target,
}

impl Example {
    /// Reads the pair in the columns of a line, with spaces at the ends of a column included. Training and evaluation
    /// both use it.
    ///
    /// # Errors
    /// If there are too few columns, or the target is [blank](is_blank).
    pub fn in_columns(
        fields: &[&str],
        source: Option<usize>,
        target: usize,
    ) -> Result<Self, PairFault> {
        let field = |column: usize| {
            let field = fields.get(column).ok_or(PairFault::Column)?;
            Ok((*field).to_owned())
        };
        let source = source.map(field).transpose()?;
        let target = field(target)?;
        match is_blank(&target) {
            true => Err(PairFault::Target),
            false => Ok(Example { source, target }),
        }
    }
}

/// A part of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// The examples that are learned from.
    Train,
    /// Scored during training, not learned from.
    Validation,
    /// Scored at the end of training.
    Test,
}

/// The number of English sentences in 1,000 that are held out for each of validation and test.
const HELD_OUT_PER_MILLE: u64 = 10;

impl Split {
    /// Returns the part that sentences with this English text are in. It depends on letters and digits alone, so that
    /// every translation of a sentence, and every variant of its punctuation, is in the same part.
    pub fn of(english: &str) -> Split {
        match bucket(english) {
            bucket if bucket < HELD_OUT_PER_MILLE => Split::Test,
            bucket if bucket < 2 * HELD_OUT_PER_MILLE => Split::Validation,
            _ => Split::Train,
        }
    }
}

/// Returns a number below 1,000, a hash of the letters and digits of a sentence.
fn bucket(english: &str) -> u64 {
    let characters = english
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase);
    let hash = fnv1a(characters.flat_map(|character| (character as u32).to_le_bytes()));
    // FNV's low bits are its weakest.
    (hash >> 20) % 1_000
}

/// The entry of `config.json` that names the long sentences that a model has not learned from.
pub const LONG_TEST_ENTRY: &str = "long_test";

/// Long sentences that are held out for the test besides those of [`Split`], which has few of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongTest {
    /// The fewest words of the English sentence.
    pub words: usize,
    /// The number of such sentences in 1,000 that are held out, those of [`Split`] among them.
    pub per_mille: u64,
}

impl LongTest {
    /// True if sentences with this English text are held out for the test, and would be learned from otherwise.
    pub fn holds_out(self, english: &str) -> bool {
        Split::of(english) == Split::Train
            && english.split_whitespace().count() >= self.words
            && bucket(english) < self.per_mille
    }
}

/// The examples of one source file, split.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    /// The examples to learn from.
    pub train: Vec<Example>,
    /// The examples of the validation set.
    pub validation: Vec<Example>,
    /// The examples of the test set.
    pub test: Vec<Example>,
    /// The long sentences of the test set.
    pub long_test: Vec<Example>,
}

impl Corpus {
    /// Reads and splits a file. Drops training pairs with a sentence that is also held out.
    ///
    /// # Errors
    /// If the file cannot be read or lacks a column.
    pub fn read(source: &Source, directory: &Path) -> Result<Self, TrainError> {
        let path = directory.join(&source.file);
        let name = path.display().to_string();
        let text = read_text(&path, LARGEST_DATA)?;
        Self::parse(source, &name, &text)
    }

    fn parse(source: &Source, name: &str, text: &str) -> Result<Self, TrainError> {
        let mut corpus = Corpus::default();
        let mut seen = HashSet::new();
        let english = source.english.unwrap_or(source.target);
        let used = [Some(source.target), source.source, Some(english)];
        let columns = used.into_iter().flatten().max().unwrap_or(0) + 1;
        for (index, line) in without_byte_order_mark(text).lines().enumerate() {
            let fields: Vec<&str> = line.split('\t').collect();
            let pair = Example::in_columns(&fields, source.source, source.target);
            let (example, english) = match (pair, fields.get(english)) {
                (Ok(example), Some(english)) => (example, *english),
                (Err(PairFault::Target), Some(_)) => continue,
                _ => {
                    return Err(TrainError::Columns {
                        path: name.to_owned(),
                        line: index + 1,
                        columns,
                    });
                }
            };
            if !seen.insert(example.clone()) {
                continue;
            }
            let is_long_test = source.long_test.is_some_and(|long| long.holds_out(english));
            match Split::of(english) {
                Split::Train if is_long_test => corpus.long_test.push(example),
                Split::Train => corpus.train.push(example),
                Split::Validation => corpus.validation.push(example),
                Split::Test => corpus.test.push(example),
            }
        }
        corpus.drop_known();
        Ok(corpus)
    }

    /// Drops training pairs with a sentence that is also held out, in another pair.
    fn drop_known(&mut self) {
        let held_out = || (self.validation.iter().chain(&self.test)).chain(&self.long_test);
        // Spaces at the ends do not make another sentence.
        let sources: HashSet<&str> = held_out()
            .filter_map(|pair| pair.source.as_deref().map(str::trim))
            .collect();
        let targets: HashSet<&str> = held_out().map(|pair| pair.target.trim()).collect();
        self.train.retain(|Example { source, target }| {
            let is_held_out = source
                .as_ref()
                .is_some_and(|it| sources.contains(it.trim()));
            !targets.contains(target.trim()) && !is_held_out
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> Source {
        Source {
            file: "x.tsv".into(),
            language: "fra".into(),
            source: Some(1),
            target: 0,
            english: None,
            prefix: None,
            repeat: 1,
            long_test: None,
        }
    }

    #[test]
    fn a_byte_order_mark_is_none_of_the_text() {
        let parsed = |text: &str| Corpus::parse(&source(), "x.tsv", text).unwrap();
        let all = |corpus: Corpus| [corpus.train, corpus.validation, corpus.test].concat();
        assert_eq!(
            all(parsed("\u{feff}Yes.\tOui.\n")),
            all(parsed("Yes.\tOui.\n"))
        );
    }

    /// The tokenizer refuses such a target, which would end the training.
    #[test]
    fn blank_targets_are_left_out() {
        let text = "\u{200b}\tOui.\n \tOui.\nYes.\tOui.\n";
        let corpus = Corpus::parse(&source(), "x.tsv", text).unwrap();
        let all = [corpus.train, corpus.validation, corpus.test].concat();
        let targets: Vec<&str> = all.iter().map(|pair| pair.target.as_str()).collect();
        assert_eq!(targets, ["Yes."]);
    }

    #[test]
    fn training_and_evaluation_read_the_same_pair() {
        let line = " Yes. \t Oui. ";
        let corpus = Corpus::parse(&source(), "x.tsv", line).unwrap();
        let all = [corpus.train, corpus.validation, corpus.test].concat();
        let fields: Vec<&str> = line.split('\t').collect();
        assert_eq!(all, [Example::in_columns(&fields, Some(1), 0).unwrap()]);
        assert_eq!(all[0].target, " Yes. ");
    }

    #[test]
    fn variants_of_a_sentence_land_in_one_part() {
        for i in 0..500 {
            let plain = format!("sentence number {i}");
            assert_eq!(
                Split::of(&plain),
                Split::of(&format!("Sentence, number {i}!"))
            );
        }
    }

    #[test]
    fn about_one_in_a_hundred_is_held_out_for_each() {
        let count = |part| {
            (0..20_000)
                .filter(|i| Split::of(&format!("s {i}")) == part)
                .count()
        };
        for part in [Split::Validation, Split::Test] {
            assert!(
                (100..300).contains(&count(part)),
                "{part:?}: {}",
                count(part)
            );
        }
    }

    #[test]
    fn no_source_or_target_of_a_held_out_pair_is_trained_on() {
        let text: String = (0..3_000)
            .map(|i| format!("t {}\ts {}\n", i, i / 2))
            .collect();
        let from_english = Source {
            source: Some(0),
            target: 1,
            english: Some(0),
            ..source()
        };
        for source in [source(), from_english] {
            let corpus = Corpus::parse(&source, "x.tsv", &text).unwrap();
            let held: Vec<_> = corpus.test.iter().chain(&corpus.validation).collect();
            assert!(!held.is_empty());
            for example in &corpus.train {
                assert!(
                    held.iter()
                        .all(|h| h.source != example.source && h.target != example.target)
                );
            }
        }
    }

    #[test]
    fn long_sentences_are_held_out_besides_and_change_no_other_part() {
        let text: String = (0..3_000)
            .map(|i| format!("t {i}{}\ts {i}\n", " and more".repeat(i % 5)))
            .collect();
        let rule = LongTest {
            words: 8,
            per_mille: 200,
        };
        let with_rule = Source {
            long_test: Some(rule),
            ..source()
        };
        let [plain, split] =
            [source(), with_rule].map(|source| Corpus::parse(&source, "x.tsv", &text).unwrap());
        assert_eq!(split.test, plain.test);
        assert_eq!(split.validation, plain.validation);
        let count = split.long_test.len();
        assert!((150..280).contains(&count), "{count} of 1,200");
        assert_eq!(split.train.len() + count, plain.train.len());
        for pair in &split.long_test {
            assert!(pair.target.split_whitespace().count() >= 8);
            assert!(!split.train.contains(pair) && !plain.test.contains(pair));
        }
    }

    #[test]
    fn both_directions_hold_out_the_same_sentences() {
        let text: String = (0..3_000).map(|i| format!("t {i}\ts {i}\n")).collect();
        let from_english = Source {
            source: Some(0),
            target: 1,
            english: Some(0),
            ..source()
        };
        let english = |source: &Source, english: fn(&Example) -> String| {
            let corpus = Corpus::parse(source, "x.tsv", &text).unwrap();
            corpus.test.iter().map(english).collect::<Vec<_>>()
        };
        assert_eq!(
            english(&source(), |pair| pair.target.clone()),
            english(&from_english, |pair| pair.source.clone().unwrap())
        );
    }

    #[test]
    fn a_short_line_is_named() {
        let error = Corpus::parse(&source(), "x.tsv", "a\tb\nonly one\n").unwrap_err();
        assert_eq!(
            error.to_string(),
            "x.tsv, line 2: fewer than 2 tab-separated columns"
        );
    }
}
