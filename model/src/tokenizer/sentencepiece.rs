//! SentencePiece's unigram models (Kudo and Richardson 2018), as the library writes them: a table of pieces with their
//! log-probabilities, and the rules that normalise a text before it is cut.

mod character_map;
mod normalizer;
mod protobuf;
mod unigram;

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use thiserror::Error;

pub use self::normalizer::SPACE;
use self::normalizer::{Normalized, Normalizer, NormalizerRules};
use self::protobuf::{Fields, Value, WireFault};
use self::unigram::Unigram;
use crate::error::ModelError;

/// The longest piece in bytes: the library makes pieces of 16 characters unless it is told otherwise.
const LONGEST_PIECE: usize = 1024;

/// A fault of a SentencePiece model.
#[derive(Debug, Error)]
pub enum SentencePieceFault {
    /// The bytes are no protocol buffer.
    #[error(transparent)]
    Wire(#[from] WireFault),
    /// A piece is no UTF-8.
    #[error("piece {0} is no UTF-8")]
    Utf8(usize),
    /// A piece is too long.
    #[error("piece {number} has {bytes} bytes; the limit is {LONGEST_PIECE}")]
    Long {
        /// The number of the piece.
        number: usize,
        /// The length of the piece.
        bytes: usize,
    },
    /// A score is not a number.
    #[error("piece {piece:?} has the score {score}")]
    Score {
        /// The text of the piece.
        piece: String,
        /// The score of the piece.
        score: f32,
    },
    /// A piece is in the table twice.
    #[error("piece {0:?} is there twice")]
    Twice(String),
    /// The table has no piece that a text can be cut into.
    #[error("there are no pieces")]
    Empty,
    /// A setting has a value that is not implemented.
    #[error("{name} is {value}; only {implemented} is implemented")]
    Unsupported {
        /// The name of the setting.
        name: &'static str,
        /// The value in the file.
        value: String,
        /// The value that is implemented.
        implemented: &'static str,
    },
    /// A table of replacements does not fit its own header.
    #[error("precompiled_charsmap cannot be parsed: it is damaged or cut short")]
    CharacterMap,
}

/// A model that cuts texts into pieces.
pub struct SentencePiece {
    unigram: Unigram,
    normalizer: Normalizer,
    /// Pieces that stand for no text, such as the end of a sentence.
    controls: BTreeSet<String>,
}

/// A piece of a text, and the bytes of the text that it stands for.
pub struct Piece {
    /// The piece, or the characters themselves if the table has none for them.
    pub text: String,
    /// The stretch of the text as it was before normalisation.
    pub stretch: Range<usize>,
}

impl SentencePiece {
    /// Reads a `.spm` or `.model` file.
    ///
    /// # Errors
    /// If it is none, or uses what is not implemented.
    pub fn read(bytes: &[u8]) -> Result<Self, SentencePieceFault> {
        let mut table = Table::default();
        let mut rules = NormalizerRules::default();
        for field in Fields::of(bytes) {
            match field? {
                (1, Value::Bytes(piece)) => table.add(piece)?,
                (2, Value::Bytes(trainer)) => check_trainer(trainer)?,
                (3, Value::Bytes(normalizer)) => rules = NormalizerRules::read(normalizer)?,
                _ => {}
            }
        }
        let Table {
            scores, controls, ..
        } = table;
        let unigram = Unigram::new(scores).ok_or(SentencePieceFault::Empty)?;
        Ok(SentencePiece {
            unigram,
            normalizer: Normalizer::new(rules)?,
            controls,
        })
    }

    /// Cuts a text into its most probable pieces. Neighbouring characters without a piece are one piece.
    ///
    /// # Errors
    /// If the normalised text is out of proportion.
    pub fn pieces(&self, text: &str) -> Result<Vec<Piece>, ModelError> {
        let Normalized { text, starts } = self.normalizer.normalize(text)?;
        let mut from = 0;
        let located = self.unigram.cut(&text).into_iter().map(|piece| {
            let to = from + piece.len();
            let place = |at: usize| starts.get(at).copied().unwrap_or_default();
            let stretch = place(from)..place(to);
            from = to;
            Piece {
                text: piece.to_owned(),
                stretch,
            }
        });
        Ok(located.collect())
    }

    /// True if the piece stands for no text.
    pub fn is_control(&self, piece: &str) -> bool {
        self.controls.contains(piece)
    }
}

impl std::fmt::Debug for SentencePiece {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SentencePiece").finish_non_exhaustive()
    }
}

/// The table of pieces, as it is read.
#[derive(Default)]
struct Table {
    /// Pieces that a text can be cut into, with their log-probabilities.
    scores: HashMap<String, f32>,
    controls: BTreeSet<String>,
    all: BTreeSet<String>,
}

/// The kinds of pieces, by their numbers in the file.
mod kind {
    pub const NORMAL: u64 = 1;
    pub const UNKNOWN: u64 = 2;
    pub const CONTROL: u64 = 3;
    pub const USER_DEFINED: u64 = 4;
    pub const UNUSED: u64 = 5;
}

impl Table {
    fn add(&mut self, message: &[u8]) -> Result<(), SentencePieceFault> {
        let (mut text, mut score, mut kind) = (&[][..], 0.0, kind::NORMAL);
        for field in Fields::of(message) {
            match field? {
                (1, Value::Bytes(bytes)) => text = bytes,
                (2, Value::Fixed32(bits)) => score = f32::from_bits(bits),
                (3, Value::Varint(number)) => kind = number,
                _ => {}
            }
        }
        if text.len() > LONGEST_PIECE {
            return Err(SentencePieceFault::Long {
                number: self.all.len(),
                bytes: text.len(),
            });
        }
        let piece = std::str::from_utf8(text)
            .map_err(|_| SentencePieceFault::Utf8(self.all.len()))?
            .to_owned();
        if !self.all.insert(piece.clone()) {
            return Err(SentencePieceFault::Twice(piece));
        }
        match kind {
            kind::NORMAL if !score.is_finite() => {
                return Err(SentencePieceFault::Score { piece, score });
            }
            kind::NORMAL => {
                self.scores.insert(piece, score);
            }
            kind::CONTROL => {
                self.controls.insert(piece);
            }
            kind::UNKNOWN | kind::UNUSED => {}
            kind => {
                let value = match kind {
                    kind::USER_DEFINED => "USER_DEFINED".to_owned(),
                    other => other.to_string(),
                };
                return Err(SentencePieceFault::Unsupported {
                    name: "the type of a piece",
                    value,
                    implemented: "NORMAL, UNKNOWN, CONTROL or UNUSED",
                });
            }
        }
        Ok(())
    }
}

/// Refuses models that cut texts in another way.
fn check_trainer(message: &[u8]) -> Result<(), SentencePieceFault> {
    const UNIGRAM: u64 = 1;
    for field in Fields::of(message) {
        let (number, Value::Varint(value)) = field? else {
            continue;
        };
        let (name, implemented, is_implemented) = match number {
            3 => ("model_type", "1 (unigram)", value == UNIGRAM),
            24 => ("treat_whitespace_as_suffix", "0 (false)", value == 0),
            35 => ("byte_fallback", "0 (false)", value == 0),
            _ => continue,
        };
        if !is_implemented {
            return Err(SentencePieceFault::Unsupported {
                name,
                value: value.to_string(),
                implemented,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::protobuf::write;
    use super::*;

    fn piece(text: &str, score: f32, kind: u64) -> Vec<u8> {
        let fields = [
            write::bytes(1, text.as_bytes()),
            write::fixed32(2, score.to_bits()),
            write::varint(3, kind),
        ];
        write::bytes(1, &fields.concat())
    }

    /// A model of a few pieces, with more fields.
    fn file(more: &[Vec<u8>]) -> Vec<u8> {
        let pieces = [
            piece("<unk>", 0.0, kind::UNKNOWN),
            piece("</s>", 0.0, kind::CONTROL),
            piece("▁", -3.0, kind::NORMAL),
            piece("▁the", -1.0, kind::NORMAL),
            piece("t", -4.0, kind::NORMAL),
            piece("he", -4.0, kind::NORMAL),
            piece("▁th", -2.0, kind::NORMAL),
        ];
        [pieces.concat(), more.concat()].concat()
    }

    fn cut(text: &str) -> Vec<(String, String)> {
        let model = SentencePiece::read(&file(&[])).unwrap();
        let pieces = model.pieces(text).unwrap().into_iter();
        pieces
            .map(|piece| (piece.text, text[piece.stretch].to_owned()))
            .collect()
    }

    #[test]
    fn a_text_is_cut_into_its_most_probable_pieces() {
        let found = cut("  the  the猫犬t</s>");
        let pieces: Vec<&str> = found.iter().map(|(piece, _)| piece.as_str()).collect();
        assert_eq!(pieces, ["▁the", "▁the", "猫犬", "t", "</s>"]);
        assert_eq!(found[2].1, "猫犬");
        assert!(cut("   ").is_empty());
    }

    #[test]
    fn what_is_not_implemented_is_named() {
        let refused = |more: Vec<u8>| {
            let error = SentencePiece::read(&file(&[more])).unwrap_err();
            error.to_string()
        };
        let trainer = |number, value| write::bytes(2, &write::varint(number, value));
        assert!(refused(trainer(3, 2)).contains("model_type is 2"));
        assert!(refused(trainer(35, 1)).contains("byte_fallback"));
        assert!(refused(piece("x", 0.0, kind::USER_DEFINED)).contains("USER_DEFINED"));
        assert!(refused(piece("t", 0.0, kind::NORMAL)).contains("twice"));
        assert!(refused(piece("x", f32::NAN, kind::NORMAL)).contains("score"));
        let long = piece(&"x".repeat(1025), -1.0, kind::NORMAL);
        assert!(refused(long).contains("1025 bytes"));
        let empty = SentencePiece::read(&[]).unwrap_err();
        assert!(matches!(empty, SentencePieceFault::Empty));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_fail_otherwise_than_by_an_error(bytes: Vec<u8>) {
            prop_assert!(SentencePiece::read(&bytes).is_ok_and(|model| model.pieces("a").is_ok())
                || SentencePiece::read(&bytes).is_err());
        }

        #[test]
        fn a_file_cut_short_is_refused_or_smaller(at in 0usize..100, text: String) {
            let whole = file(&[]);
            if let Ok(model) = SentencePiece::read(&whole[..at.min(whole.len())]) {
                for piece in model.pieces(&text).unwrap() {
                    prop_assert!(text.get(piece.stretch).is_some());
                }
            }
        }
    }
}
