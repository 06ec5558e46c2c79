//! The tokenizer of Marian's checkpoints as they are published: `source.spm` and `target.spm` cut texts, `vocab.json`
//! numbers the pieces of both.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use thiserror::Error;

use super::sentencepiece::{SPACE, SentencePiece, SentencePieceFault};
use super::{Description, Segmenter, Tokenizer, Unknown};
use crate::error::ModelError;

/// The SentencePiece model of source texts.
pub const SOURCE: &str = "source.spm";
/// The SentencePiece model of target texts.
pub const TARGET: &str = "target.spm";
/// The numbers of the pieces; of the source's, if the languages have separate vocabularies.
pub const VOCABULARY: &str = "vocab.json";
/// The numbers of the target's pieces, if the languages have separate vocabularies.
pub const TARGET_VOCABULARY: &str = "target_vocab.json";

const END: &str = "</s>";
const UNKNOWN: &str = "<unk>";
const PADDING: &str = "<pad>";

/// A fault of the files.
#[derive(Debug, Error)]
pub enum MarianFault {
    /// A SentencePiece model cannot be read.
    #[error("{file}: {fault}")]
    SentencePiece {
        /// The name of the file.
        file: &'static str,
        /// The fault of the file.
        fault: SentencePieceFault,
    },
    /// The numbers cannot be read.
    #[error("{file}: {fault}")]
    Json {
        /// The name of the file.
        file: &'static str,
        /// The fault of the file.
        fault: serde_json::Error,
    },
    /// A piece that every text needs has no number.
    #[error("{file} has no piece {piece:?}")]
    Missing {
        /// The name of the file.
        file: &'static str,
        /// The text of the piece.
        piece: &'static str,
    },
    /// Two pieces have one number.
    #[error("{file} gives the number {id} to {first:?} and to {second:?}")]
    Shared {
        /// The name of the file.
        file: &'static str,
        /// The number of both pieces.
        id: u32,
        /// The piece that had it first.
        first: String,
        /// The piece that has it too.
        second: String,
    },
}

impl From<MarianFault> for ModelError {
    fn from(fault: MarianFault) -> Self {
        ModelError::Tokenizer(fault.to_string())
    }
}

/// The bytes of the files.
#[derive(Clone)]
pub struct MarianFiles {
    /// The contents of `source.spm`.
    pub source: Vec<u8>,
    /// The contents of `target.spm`.
    pub target: Vec<u8>,
    /// The contents of `vocab.json`.
    pub vocabulary: Vec<u8>,
    /// The contents of `target_vocab.json`, if the languages have separate vocabularies.
    pub target_vocabulary: Option<Vec<u8>>,
}

impl Tokenizer {
    /// Reads the tokenizer of a Marian checkpoint.
    ///
    /// # Errors
    /// If a file is broken or uses what is not implemented, or two pieces have one number.
    pub fn from_marian(files: &MarianFiles) -> Result<Self, ModelError> {
        let vocabulary = Arc::new(Vocabulary::read(VOCABULARY, &files.vocabulary)?);
        let pieces = |file, bytes| {
            let read = SentencePiece::read(bytes);
            read.map(Arc::new)
                .map_err(|fault| MarianFault::SentencePiece { file, fault })
        };
        let source = pieces(SOURCE, &files.source)?;
        let target = pieces(TARGET, &files.target)?;
        let side =
            |cuts: &Arc<SentencePiece>, written: &Arc<SentencePiece>, vocabulary: &Arc<_>| Side {
                cuts: cuts.clone(),
                written: written.clone(),
                vocabulary: Arc::clone(vocabulary),
            };
        let description = vocabulary.description();
        let own = Tokenizer::new(side(&source, &source, &vocabulary), description);
        match &files.target_vocabulary {
            None => Ok(own.with_target(side(&target, &source, &vocabulary))),
            Some(json) => {
                let vocabulary = Arc::new(Vocabulary::read(TARGET_VOCABULARY, json)?);
                let description = vocabulary.description();
                let target = Tokenizer::new(side(&target, &target, &vocabulary), description);
                Ok(own.with_separate(target))
            }
        }
    }
}

/// The pieces of both languages with their numbers.
#[derive(Debug)]
struct Vocabulary {
    ids: HashMap<String, u32>,
    pieces: BTreeMap<u32, String>,
    end: u32,
    unknown: u32,
    /// Pieces that are found in a text before it is cut, and left out of a decoded one.
    special: BTreeMap<&'static str, u32>,
}

impl Vocabulary {
    fn read(file: &'static str, json: &[u8]) -> Result<Self, MarianFault> {
        let ids: HashMap<String, u32> =
            serde_json::from_slice(json).map_err(|fault| MarianFault::Json { file, fault })?;
        let mut pieces = BTreeMap::new();
        for (piece, &id) in &ids {
            if let Some(first) = pieces.insert(id, piece.clone()) {
                let second = piece.clone();
                return Err(MarianFault::Shared {
                    file,
                    id,
                    first,
                    second,
                });
            }
        }
        let id = |piece| ids.get(piece).copied();
        let needed = |piece| id(piece).ok_or(MarianFault::Missing { file, piece });
        let (end, unknown) = (needed(END)?, needed(UNKNOWN)?);
        let special = [END, UNKNOWN, PADDING].into_iter();
        let special = special.filter_map(|piece| Some((piece, id(piece)?)));
        Ok(Vocabulary {
            special: special.collect(),
            pieces,
            end,
            unknown,
            ids,
        })
    }

    /// Returns the facts about the pieces that a tokenizer has beside them.
    fn description(&self) -> Description {
        Description {
            special: self.special.values().copied().collect(),
            added: self.languages().collect(),
            unknown: Some(Unknown::Number(self.unknown)),
            ..Description::default()
        }
    }

    /// Returns the numbers of the codes of target languages.
    fn languages(&self) -> impl Iterator<Item = u32> {
        let pieces = self.pieces.iter();
        pieces
            .filter(|(_, piece)| language_code(piece) == Some(piece.len()))
            .map(|(&id, _)| id)
    }

    /// Returns the number of a piece, or that of unknown ones.
    fn id(&self, piece: &str) -> u32 {
        self.ids.get(piece).copied().unwrap_or(self.unknown)
    }
}

/// The tokenizer of the texts of one side.
#[derive(Debug)]
struct Side {
    cuts: Arc<SentencePiece>,
    /// The model whose pieces a decoded text is made of: the source's, on both sides, as in `transformers`; the target's of
    /// a target with numbers of its own.
    written: Arc<SentencePiece>,
    vocabulary: Arc<Vocabulary>,
}

impl Side {
    /// Returns the tokens of a text without the end, each with the stretch that it stands for.
    fn tokens(&self, text: &str) -> Result<Vec<(u32, Range<usize>)>, ModelError> {
        let mut tokens = vec![];
        let mut at = 0;
        while at < text.len() {
            let (start, special) = self.next_special(text, at);
            self.add(text, at..start, &mut tokens)?;
            at = start;
            if let Some(piece) = special {
                tokens.push((self.vocabulary.id(piece), start..start + piece.len()));
                at += piece.len();
            }
        }
        Ok(tokens)
    }

    /// Returns the place of the first special piece from `at` on, and the piece; without one, the end of the text.
    fn next_special(&self, text: &str, at: usize) -> (usize, Option<&'static str>) {
        let found = self.vocabulary.special.keys().filter_map(|&piece| {
            let place = text.get(at..)?.find(piece)?;
            Some((at + place, Some(piece)))
        });
        found.min().unwrap_or((text.len(), None))
    }

    /// Adds the tokens of a stretch without special pieces.
    fn add(
        &self,
        text: &str,
        mut stretch: Range<usize>,
        tokens: &mut Vec<(u32, Range<usize>)>,
    ) -> Result<(), ModelError> {
        if let Some(length) = language_code(&text[stretch.clone()]) {
            let code = stretch.start..stretch.start + length;
            tokens.push((self.vocabulary.id(&text[code.clone()]), code));
            stretch.start += length;
        }
        let start = stretch.start;
        let pieces = self.cuts.pieces(&text[stretch])?.into_iter();
        tokens.extend(pieces.map(|piece| {
            let Range { start: from, end } = piece.stretch;
            (self.vocabulary.id(&piece.text), start + from..start + end)
        }));
        Ok(())
    }
}

/// Returns the length of the code of a target language that a text begins with: `>>fra<<`.
fn language_code(text: &str) -> Option<usize> {
    const CLOSING: &str = "<<";
    let is_opened = text.starts_with(">>");
    let end = is_opened.then(|| text.find(CLOSING))??;
    Some(end + CLOSING.len())
}

impl Segmenter for Side {
    fn encode(&self, text: &str, adds_special: bool) -> Result<Vec<u32>, ModelError> {
        let tokens = self.tokens(text)?.into_iter().map(|(id, _)| id);
        let end = Some(self.vocabulary.end).filter(|_| adds_special);
        Ok(tokens.chain(end).collect())
    }

    fn stretches(&self, text: &str, id: u32) -> Result<Vec<String>, ModelError> {
        let tokens = self.tokens(text)?.into_iter();
        let found = tokens.filter(|&(found, _)| found == id);
        Ok(found
            .map(|(_, stretch)| text.get(stretch).unwrap_or_default().to_owned())
            .collect())
    }

    fn decode(&self, ids: &[u32]) -> Result<String, ModelError> {
        let special: BTreeSet<u32> = self.vocabulary.special.values().copied().collect();
        let pieces = ids.iter().filter(|id| !special.contains(id));
        let pieces = pieces.filter_map(|id| self.vocabulary.pieces.get(id));
        let pieces = pieces.filter(|piece| !self.written.is_control(piece));
        let text: String = pieces.map(String::as_str).collect();
        Ok(text.replace(SPACE, " ").trim().to_owned())
    }

    fn piece(&self, id: u32) -> Option<String> {
        self.vocabulary.pieces.get(&id).cloned()
    }

    fn id(&self, piece: &str) -> Option<u32> {
        self.vocabulary.ids.get(piece).copied()
    }

    fn vocabulary(&self) -> usize {
        let last = self.vocabulary.pieces.last_key_value();
        last.map_or(0, |(&id, _)| id as usize + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_code_is_the_beginning_alone() {
        assert_eq!(language_code(">>fra<< hello"), Some(7));
        assert_eq!(language_code(">>fra hello"), None);
        assert_eq!(language_code("hello >>fra<<"), None);
    }

    #[test]
    fn numbers_that_cannot_be_used_are_refused() {
        let refused = |json: &str| {
            Vocabulary::read(VOCABULARY, json.as_bytes())
                .unwrap_err()
                .to_string()
        };
        assert!(refused("[]").contains("vocab.json"));
        assert!(refused(r#"{"</s>": 0}"#).contains("<unk>"));
        let shared = refused(r#"{"</s>": 0, "<unk>": 1, "a": 1}"#);
        assert!(shared.contains("number 1"), "{shared}");
        assert!(refused(r#"{"</s>": -1, "<unk>": 1}"#).contains("vocab.json"));
    }
}
