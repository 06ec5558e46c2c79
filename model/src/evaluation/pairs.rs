//! Files of sentence pairs, one pair per line. A faulty line does not stop the reading; it is kept with its number.

use std::path::Path;

use attention_trace::text::{is_blank, without_byte_order_mark};
use thiserror::Error;

use crate::error::ModelError;
use crate::files::{LARGEST_DATA, read_any};
use crate::training::{Example, LongTest, PairFault, Split};

/// The columns of a line that are scored, from 0.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// The source sentence; `None` for a language model.
    pub source: Option<usize>,
    /// The column of the target sentence.
    pub target: usize,
    /// The English sentence, which decides whether training held the pair out.
    pub english: usize,
}

impl Columns {
    /// Returns the pair of a line; `None` if `filter` does not take it.
    ///
    /// # Errors
    /// If the line lacks a column, or a column that is read is blank.
    pub fn pair(self, line: &str, filter: PairFilter) -> Result<Option<Example>, LineFault> {
        let Columns {
            source,
            target,
            english,
        } = self;
        let fields: Vec<&str> = line.split('\t').collect();
        let pair = Example::in_columns(&fields, source, target)?;
        let is_taken = match (filter, fields.get(english)) {
            (PairFilter::All, _) => true,
            (_, Some(english)) => filter.takes(english),
            (_, None) => return Err(PairFault::Column.into()),
        };
        Ok(is_taken.then_some(pair))
    }
}

/// A choice of the pairs of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairFilter {
    /// All pairs of the file.
    All,
    /// The test set of [`Split`].
    Test,
    /// The test set and the long sentences that a model has not learned from.
    LongTest(LongTest),
}

impl PairFilter {
    /// Returns the test set alone if `is_test_split`, otherwise all pairs.
    pub fn of(is_test_split: bool) -> Self {
        match is_test_split {
            true => PairFilter::Test,
            false => PairFilter::All,
        }
    }

    fn takes(self, english: &str) -> bool {
        match self {
            PairFilter::All => true,
            PairFilter::Test => Split::of(english) == Split::Test,
            PairFilter::LongTest(rule) => rule.holds_out(english),
        }
    }
}

/// A fault of a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LineFault {
    /// The bytes of the line are not UTF-8.
    #[error("it is not UTF-8, from byte {0} on; `iconv -f latin1 -t utf-8` converts a file")]
    Encoding(usize),
    /// The line has more bytes than the limit.
    #[error("it has more than {0} bytes")]
    Long(u64),
    /// The columns of the line are not a pair.
    #[error(transparent)]
    Pair(#[from] PairFault),
}

/// A line and its number, from 1.
pub type NumberedLine<T> = (usize, T);

/// The pairs of a file, and the faults of its other lines.
#[derive(Debug, Default)]
pub struct PairLines {
    /// The pairs, each with the number of its line.
    pub pairs: Vec<NumberedLine<Example>>,
    /// The faults of the other lines.
    pub faults: Vec<NumberedLine<LineFault>>,
}

/// Returns a line of a text without its line ending, and without a byte order mark in front of it.
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

/// Returns the lines of a file that are not blank.
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

/// The lines of a file of tab-separated columns, read once: a pipe cannot be read again.
#[derive(Debug)]
pub struct PairFile {
    lines: Vec<NumberedLine<Result<String, LineFault>>>,
    columns: Columns,
}

impl PairFile {
    /// Reads the lines of a file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read(path: &Path, columns: Columns) -> Result<Self, ModelError> {
        let lines = read_lines(path)?;
        Ok(PairFile { lines, columns })
    }

    /// Returns the pairs that `filter` takes, and the faulty lines.
    pub fn pairs(&self, filter: PairFilter) -> PairLines {
        let mut read = PairLines::default();
        for (number, line) in &self.lines {
            let line = line.as_deref().map_err(LineFault::clone);
            match line.and_then(|line| self.columns.pair(line, filter)) {
                Ok(pair) => read.pairs.extend(pair.map(|pair| (*number, pair))),
                Err(fault) => read.faults.push((*number, fault)),
            }
        }
        read
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
        let read = PairFile::read(&path, COLUMNS);
        std::fs::remove_file(&path).unwrap();
        read.unwrap().pairs(PairFilter::All)
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
                (2, PairFault::Column.into()),
                (4, LineFault::Encoding(0)),
                (5, PairFault::Target.into())
            ]
        );
    }

    #[test]
    fn a_missing_english_column_is_a_fault_if_it_decides() {
        let file = PairFile {
            lines: vec![(1, Ok("Yes.\tOui.".to_owned()))],
            columns: Columns {
                english: 2,
                ..COLUMNS
            },
        };
        assert_eq!(file.pairs(PairFilter::All).pairs.len(), 1);
        let rule = LongTest {
            words: 1,
            per_mille: 1000,
        };
        for filter in [PairFilter::Test, PairFilter::LongTest(rule)] {
            let read = file.pairs(filter);
            assert_eq!(read.faults, [(1, PairFault::Column.into())]);
            assert!(read.pairs.is_empty());
        }
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
