//! Processing of many lines: a line that cannot be used is reported by its number, and the others are still processed.

use std::error::Error;
use std::fmt::Display;
use std::path::Path;

use attention_model::checkpoint::Checkpoint;
use attention_model::error::ModelError;
use attention_model::evaluation::{
    Columns, NumberedLine, PairFile, PairFilter, aligned_words, read_lines,
};
use attention_model::training::Example;
use attention_trace::alignment::{AlignedPair, read_aligned_pair};
use attention_trace::roles::RoleSentence;

use crate::io::Outcome;
use crate::options::ReadingOptions;
use crate::terminal::escaped;

/// Lines of a file or of standard input, with the number of those that were left out.
pub struct Batch {
    name: String,
    left_out: usize,
}

impl Batch {
    /// Creates a batch that messages refer to by this name.
    pub fn of(name: impl Display) -> Self {
        Batch {
            name: name.to_string(),
            left_out: 0,
        }
    }

    /// Sets the number of lines that were left out before.
    pub fn with_left_out(self, left_out: usize) -> Self {
        Batch { left_out, ..self }
    }

    /// Reports the reason why a line, counted from 1, is left out.
    pub fn leave_out(&mut self, line: usize, why: &dyn Display) {
        let told = format!("attn: {}, line {line}: {why}", self.name);
        eprintln!("{}", escaped(&told));
        self.left_out += 1;
    }

    /// Reports the number of lines left out, if there are any.
    ///
    /// # Errors
    /// If lines were left out, since the work is then incomplete.
    pub fn finish(self) -> Outcome {
        Self::finish_all([self])
    }

    /// Calls [`finish`](Self::finish) for several batches, with one message.
    ///
    /// # Errors
    /// If lines were left out of any batch.
    pub fn finish_all(batches: impl IntoIterator<Item = Batch>) -> Outcome {
        let told: Vec<String> = batches
            .into_iter()
            .filter_map(|batch| match batch.left_out {
                0 => None,
                1 => Some(format!("{}: 1 line was left out", batch.name)),
                count => Some(format!("{}: {count} lines were left out", batch.name)),
            })
            .collect();
        match told.is_empty() {
            true => Ok(()),
            false => Err(told.join("; ").into()),
        }
    }

    /// Keeps the lines that could be read; reports each of the others, in the order of the lines.
    fn keep<T>(&mut self, lines: Vec<NumberedLine<Result<T, Box<dyn Error>>>>) -> Vec<T> {
        let mut kept = vec![];
        for (number, line) in lines {
            match line {
                Ok(line) => kept.push(line),
                Err(why) => self.leave_out(number, &why),
            }
        }
        kept
    }
}

/// Returns the sentence pairs of a file that this model can read, each source with the prefix in front of it.
///
/// # Errors
/// If the file cannot be read, or no line of it.
pub fn pairs_for(
    checkpoint: &Checkpoint,
    (path, columns, filter): (&Path, Columns, PairFilter),
    prefix: Option<&str>,
) -> Result<(Vec<Example>, Batch), Box<dyn Error>> {
    let check = |pair: Example| Ok(checked_pair(checkpoint, pair, prefix)?);
    pairs_that(check, path, &PairFile::read(path, columns)?, filter)
}

/// Puts the prefix in front of a pair's source, and checks that the model can read both texts.
///
/// # Errors
/// If a text is too long, or the tokenizer refuses it.
pub fn checked_pair(
    checkpoint: &Checkpoint,
    mut pair: Example,
    prefix: Option<&str>,
) -> Result<Example, ModelError> {
    if let (Some(prefix), Some(source)) = (prefix, &mut pair.source) {
        *source = format!("{prefix} {source}");
    }
    for text in pair.source.iter().chain([&pair.target]) {
        check_text(checkpoint, text)?;
    }
    Ok(pair)
}

/// Returns true if the error concerns a single text, so that the next one may succeed.
pub fn is_of_text(error: &ModelError) -> bool {
    matches!(
        error,
        ModelError::EmptyInput
            | ModelError::InputTooLong { .. }
            | ModelError::UnknownToken(_)
            | ModelError::Tokenizer(_)
    )
}

fn check_text(checkpoint: &Checkpoint, text: &str) -> Result<(), ModelError> {
    checkpoint.encode_input(text).map(drop)
}

/// Returns the sentence pairs of a file that any model may read; `path` names the file in messages.
///
/// # Errors
/// If no line of the file can be read.
pub fn pairs(
    path: &Path,
    file: &PairFile,
    filter: PairFilter,
) -> Result<(Vec<Example>, Batch), Box<dyn Error>> {
    pairs_that(Ok, path, file, filter)
}

fn pairs_that(
    check: impl Fn(Example) -> Result<Example, Box<dyn Error>>,
    path: &Path,
    file: &PairFile,
    filter: PairFilter,
) -> Result<(Vec<Example>, Batch), Box<dyn Error>> {
    let read = file.pairs(filter);
    let good = read.pairs.into_iter();
    let faults = read.faults.into_iter();
    let mut lines: Vec<_> = good
        .map(|(line, pair)| (line, check(pair)))
        .chain(faults.map(|(line, fault)| (line, Err(fault.into()))))
        .collect();
    lines.sort_by_key(|(line, _)| *line);
    let mut batch = Batch::of(path.display());
    let pairs = batch.keep(lines);
    match pairs.is_empty() {
        true => Err(format!("{}: no pair to read", path.display()).into()),
        false => Ok((pairs, batch)),
    }
}

/// Returns the sentence in a line that the roles of heads are measured on and this model can read.
///
/// # Errors
/// If a column is blank, or the model cannot read the line.
pub fn role_sentence(
    checkpoint: &Checkpoint,
    (number, line): (usize, &str),
) -> Result<RoleSentence, Box<dyn Error>> {
    let sentence = RoleSentence::of(number, line, &checkpoint.spec()).ok_or("a column is blank")?;
    for text in [&sentence.text].into_iter().chain(&sentence.target) {
        check_text(checkpoint, text)?;
    }
    Ok(sentence)
}

/// Returns the pairs of a file that a person aligned and this model can read, with source and target exchanged if
/// requested.
///
/// # Errors
/// If the file cannot be read, or no line of it.
pub fn aligned_pairs(
    checkpoint: &Checkpoint,
    path: &Path,
    reading: &ReadingOptions,
) -> Result<(Vec<AlignedPair>, Batch), Box<dyn Error>> {
    let read = |line: String| -> Result<AlignedPair, Box<dyn Error>> {
        let pair = read_aligned_pair(&line)?;
        let pair = match reading.reverse {
            true => pair.swapped(),
            false => pair,
        };
        aligned_words(checkpoint, (&pair, reading.prefix_of(&pair.language)))?;
        Ok(pair)
    };
    let lines = read_lines(path)?.into_iter();
    let lines = lines.map(|(number, line)| (number, line.map_err(Into::into).and_then(read)));
    let mut batch = Batch::of(path.display());
    let pairs = batch.keep(lines.collect());
    match pairs.is_empty() {
        true => Err(format!("{}: no pair to align", path.display()).into()),
        false => Ok((pairs, batch)),
    }
}
