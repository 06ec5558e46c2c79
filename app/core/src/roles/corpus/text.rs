//! The sentences of a file or of a pasted text, one a line.

use std::fmt::{Display, Formatter, Result as FmtResult};

use attention_trace::{
    ModelSpec,
    roles::RoleSentence,
    text::{is_blank, without_byte_order_mark},
};

/// The size in bytes of the largest text that is read.
pub const LARGEST_BYTES: usize = 4 << 20;
/// The most sentences that are measured; later lines are counted.
pub const MOST_SENTENCES: usize = 1000;
/// The characters of the longest line that is kept; longer ones are counted.
const LONGEST_LINE: usize = 2000;

/// The origin of the sentences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file of this name.
    File(String),
    /// A text that was pasted.
    Pasted,
    /// Sentences of this page.
    Ours,
}

impl Display for Origin {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> FmtResult {
        formatter.write_str(match self {
            Origin::File(name) => name,
            Origin::Pasted | Origin::Ours => "",
        })
    }
}

/// A text with a sentence on each line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenText {
    /// The origin of the text.
    pub origin: Origin,
    /// The lines that are not blank, each with its number from 1.
    pub lines: Vec<(usize, String)>,
    /// The number of lines that were left out because they are too long.
    pub long: usize,
    /// The number of lines after the most that are measured.
    pub beyond: usize,
}

/// The reason why a file gives no sentences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextFault {
    /// The text has no line that can be read.
    Empty,
    /// The bytes are no text in UTF-8.
    NotText,
    /// The file is larger than [`LARGEST_BYTES`].
    TooLarge,
}

impl GivenText {
    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// If they are too many, no text, or have no sentence.
    pub fn read(origin: Origin, bytes: &[u8]) -> Result<Self, TextFault> {
        if bytes.len() > LARGEST_BYTES {
            return Err(TextFault::TooLarge);
        }
        let text = std::str::from_utf8(bytes).map_err(|_| TextFault::NotText)?;
        if text.contains('\0') {
            return Err(TextFault::NotText);
        }
        let lines = without_byte_order_mark(text).lines().zip(1..);
        let lines = lines.filter(|(line, _)| !is_blank(line));
        let (short, long): (Vec<_>, Vec<_>) =
            lines.partition(|(line, _)| line.chars().count() <= LONGEST_LINE);
        if short.is_empty() {
            return Err(TextFault::Empty);
        }
        let kept = short.iter().take(MOST_SENTENCES);
        Ok(GivenText {
            origin,
            lines: kept
                .map(|(line, number)| (*number, (*line).to_owned()))
                .collect(),
            long: long.len(),
            beyond: short.len().saturating_sub(MOST_SENTENCES),
        })
    }

    /// Returns the sentences as a model reads them; `as_read` adds what the model needs in front of a text. Lines with a
    /// blank column are left out.
    pub fn sentences(
        &self,
        spec: &ModelSpec,
        as_read: impl Fn(String) -> String,
    ) -> Vec<RoleSentence> {
        let lines = self.lines.iter();
        let sentences = lines.filter_map(|(number, line)| RoleSentence::of(*number, line, spec));
        let read = sentences.map(|sentence| RoleSentence {
            text: as_read(sentence.text),
            ..sentence
        });
        read.collect()
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::config::MarianConfig;

    use super::*;

    fn read(bytes: &[u8]) -> Result<GivenText, TextFault> {
        GivenText::read(Origin::Pasted, bytes)
    }

    #[test]
    fn lines_are_sentences_by_their_numbers() {
        let text = read("\u{feff}Eins.\r\n\n  \nZwei.".as_bytes()).unwrap();
        let lines = [(1, "Eins.".to_owned()), (4, "Zwei.".to_owned())];
        assert_eq!(text.lines, lines);
        assert_eq!((text.long, text.beyond), (0, 0));
        let spec = MarianConfig::default().spec();
        let sentences = text.sentences(&spec, |text| format!(">>fra<< {text}"));
        assert_eq!(sentences[1].text, ">>fra<< Zwei.");
        assert_eq!(sentences[1].line, 4);
    }

    #[test]
    fn what_is_no_text_is_refused() {
        assert_eq!(read(b" \n\n"), Err(TextFault::Empty));
        assert_eq!(read(b"\xff\xfe\x00"), Err(TextFault::NotText));
        assert_eq!(read(b"a\0b"), Err(TextFault::NotText));
        assert_eq!(
            read(&vec![b'a'; LARGEST_BYTES + 1]),
            Err(TextFault::TooLarge)
        );
    }

    #[test]
    fn long_lines_and_those_beyond_the_limit_are_counted() {
        let long = "a".repeat(LONGEST_LINE + 1);
        let text = format!("{long}\n{}", "Yes.\n".repeat(MOST_SENTENCES + 3));
        let text = read(text.as_bytes()).unwrap();
        assert_eq!(text.lines.len(), MOST_SENTENCES);
        assert_eq!((text.lines[0].0, text.long, text.beyond), (2, 1, 3));
        assert_eq!(read(long.as_bytes()), Err(TextFault::Empty));
    }
}
