//! Files of sentence pairs, a pair a line. A line that is none does not end the reading: it is kept by its number.

use std::path::Path;

use attention_trace::text::{is_blank, without_byte_order_mark};
use thiserror::Error;

use crate::error::ModelError;
use crate::files::{LARGEST_DATA, read_any};
use crate::training::{Example, LongTest, Split};

/// Where a line of a file has what is scored, by columns from 0.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// The source sentence; `None` for a language model.
    pub source: Option<usize>,
    /// The target sentence.
    pub target: usize,
    /// The English sentence, which decides whether training held the pair out.
    pub english: usize,
}

/// Which lines of a file are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// All.
    All,
    /// The test set of [`Split`].
    Test,
    /// The long sentences that a model has not learned from besides.
    LongTest(LongTest),
}

impl Taken {
    /// The test set alone if `is_test_split`.
    pub fn of(is_test_split: bool) -> Self {
        match is_test_split {
            true => Taken::Test,
            false => Taken::All,
        }
    }

    fn takes(self, english: &str) -> bool {
        match self {
            Taken::All => true,
            Taken::Test => Split::of(english) == Split::Test,
            Taken::LongTest(rule) => rule.holds_out(english),
        }
    }
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LineFault {
    /// Its bytes are no text.
    #[error("it is not UTF-8, from byte {0} on; `iconv -f latin1 -t utf-8` converts a file")]
    Encoding(usize),
    /// It has too few columns.
    #[error("a column is missing")]
    Column,
    /// There is nothing to see in its target.
    #[error("the target is empty")]
    Target,
}

/// A line and its number, from 1.
pub type NumberedLine<T> = (usize, T);

/// The pairs of a file, and the lines that are none.
#[derive(Debug, Default)]
pub struct PairLines {
    /// The pairs, each with the number of its line.
    pub pairs: Vec<NumberedLine<Example>>,
    /// What is wrong with others.
    pub faults: Vec<NumberedLine<LineFault>>,
}

/// A line of a text without what ends it, and without a byte order mark in front of it.
///
/// # Errors
/// If the bytes are not UTF-8.
pub fn line_of(bytes: &[u8]) -> Result<&str, LineFault> {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    let line = std::str::from_utf8(bytes);
    let line = line.map_err(|error| LineFault::Encoding(error.valid_up_to()))?;
    Ok(without_byte_order_mark(line))
}

/// The lines of a file that have something to see in them.
///
/// # Errors
/// If the file cannot be read.
pub fn read_lines(path: &Path) -> Result<Vec<NumberedLine<Result<String, LineFault>>>, ModelError> {
    let bytes = read_any(path, LARGEST_DATA)?;
    let lines = bytes.split_inclusive(|&byte| byte == b'\n').map(line_of);
    let numbered = lines
        .zip(1..)
        .map(|(line, number)| (number, line.map(str::to_owned)));
    Ok(numbered
        .filter(|(_, line)| !line.as_deref().is_ok_and(is_blank))
        .collect())
}

/// Reads lines of tab-separated columns, those that are `taken`.
///
/// # Errors
/// If the file cannot be read.
pub fn read_pairs(path: &Path, columns: Columns, taken: Taken) -> Result<PairLines, ModelError> {
    let mut read = PairLines::default();
    for (number, line) in read_lines(path)? {
        let pair = line.and_then(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let english = fields
                .get(columns.english)
                .map_or("", |english| english.trim());
            pair(&fields, columns).map(|pair| taken.takes(english).then_some(pair))
        });
        match pair {
            Ok(pair) => read.pairs.extend(pair.map(|pair| (number, pair))),
            Err(fault) => read.faults.push((number, fault)),
        }
    }
    Ok(read)
}

/// The pair of a line, its spaces included.
fn pair(fields: &[&str], columns: Columns) -> Result<Example, LineFault> {
    let field = |column: usize| {
        let field = fields.get(column).ok_or(LineFault::Column)?;
        Ok((*field).to_owned())
    };
    let source = columns.source.map(field).transpose()?;
    let target = field(columns.target)?;
    match is_blank(&target) {
        true => Err(LineFault::Target),
        false => Ok(Example { source, target }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: Columns = Columns {
        source: Some(1),
        target: 0,
        english: 0,
    };

    fn read(name: &str, bytes: &[u8]) -> PairLines {
        let path = std::env::temp_dir().join(format!("pairs-{}-{name}.tsv", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        let read = read_pairs(&path, COLUMNS, Taken::All);
        std::fs::remove_file(&path).unwrap();
        read.unwrap()
    }

    #[test]
    fn a_line_that_is_no_pair_is_kept_by_its_number() {
        let lines = b"Yes.\tOui.\r\nNo.\n\n\xe9t\xe9\tx\n \tNon.\n\xe2\x80\x8b\nA\tB";
        let found = read("faults", lines);
        let targets: Vec<_> = found
            .pairs
            .iter()
            .map(|(line, pair)| (*line, pair.target.as_str()))
            .collect();
        assert_eq!(targets, [(1, "Yes."), (7, "A")]);
        assert_eq!(found.pairs[0].1.source.as_deref(), Some("Oui."));
        assert_eq!(
            found.faults,
            [
                (2, LineFault::Column),
                (4, LineFault::Encoding(0)),
                (5, LineFault::Target)
            ]
        );
    }

    #[test]
    fn a_byte_order_mark_is_none_of_the_text_and_spaces_are() {
        let found = read("mark", "\u{feff}Yes. \t Oui.\n".as_bytes());
        let pair = &found.pairs[0].1;
        assert_eq!(
            (pair.target.as_str(), pair.source.as_deref()),
            ("Yes. ", Some(" Oui."))
        );
    }
}
