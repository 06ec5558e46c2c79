//! Text to tokens and back, by a Hugging Face `tokenizer.json`.
//!
//! What the file may ask for is what our recipes and the common word-level and byte-pair
//! tokenizers need; anything else is refused by name. The `tokenizers` library can do more, and is
//! a third of a megabyte of regular expressions and Unicode tables that a visitor would download;
//! tests hold this one against it.

mod bpe;
mod file;
mod normalize;
mod piece;
mod split;

use std::collections::HashMap;

use attention_trace::Token;

use crate::error::ModelError;
use bpe::Bpe;
use file::{Decoder, File, Model, Part};
use normalize::normalize;
use piece::Piece;
use split::split;

/// A trained tokenizer.
#[derive(Clone, Debug)]
pub struct Tokenizer {
    file: Rules,
    model: Words,
    /// Tokens by number.
    tokens: Vec<Option<String>>,
    /// The tokens that are found in a text before anything is done to it, longest first.
    added: Vec<(String, u32)>,
    special: Vec<u32>,
    before: Vec<u32>,
    after: Vec<u32>,
    unknown: Option<u32>,
    vocabulary: usize,
}

/// What is done to a text before and after the model sees it.
#[derive(Clone, Debug)]
struct Rules {
    normalizer: Option<file::Normalizer>,
    pre_tokenizer: Option<file::PreTokenizer>,
    decoder: Option<Decoder>,
}

/// How a piece of text becomes tokens.
#[derive(Clone, Debug)]
enum Words {
    /// Byte-pair encoding.
    Bpe(Bpe),
    /// Whole words, and one token for all others.
    WordLevel {
        vocabulary: HashMap<String, u32>,
        unknown: Option<u32>,
    },
}

impl Tokenizer {
    /// Reads a `tokenizer.json`.
    ///
    /// # Errors
    /// If the bytes are not one, or it asks for something that is not implemented.
    pub fn from_json(bytes: &[u8]) -> Result<Self, ModelError> {
        let file = File::parse(bytes).map_err(ModelError::Tokenizer)?;
        let vocabulary = file.model.vocabulary();
        let number = |token: &str| {
            let added = file
                .added_tokens
                .iter()
                .find(|added| added.content == token);
            added
                .map(|added| added.id)
                .or_else(|| vocabulary.get(token).copied())
        };
        let mut tokens = Vec::new();
        let known = vocabulary.iter().map(|(token, &id)| (token, id));
        let added = file
            .added_tokens
            .iter()
            .map(|added| (&added.content, added.id));
        for (token, id) in known.chain(added) {
            let index = id as usize;
            // A number out of all proportion would ask for memory that is not there.
            if index > 4 * (vocabulary.len() + file.added_tokens.len()) {
                return Err(ModelError::Tokenizer(format!(
                    "`{token}` has the number {id}"
                )));
            }
            if tokens.len() <= index {
                tokens.resize(index + 1, None);
            }
            tokens[index] = Some(token.clone());
        }
        let extra = file.added_tokens.iter();
        let extra = extra.filter(|added| !vocabulary.contains_key(&added.content));
        let count = vocabulary.len() + extra.count();
        let unknown = number("<unk>");
        let (before, after) = file.surroundings().map_err(ModelError::Tokenizer)?;
        let mut added: Vec<(String, u32)> = file
            .added_tokens
            .iter()
            .map(|added| (added.content.clone(), added.id))
            .collect();
        added.sort_by_key(|(content, _)| std::cmp::Reverse(content.len()));
        let special = file.added_tokens.iter().filter(|added| added.special);
        let special = special.map(|added| added.id).collect();
        let model = match file.model {
            Model::Bpe(model) => Words::Bpe(Bpe::new(model).map_err(ModelError::Tokenizer)?),
            Model::WordLevel { vocab, unk_token } => Words::WordLevel {
                unknown: vocab.get(&unk_token).copied(),
                vocabulary: vocab,
            },
        };
        Ok(Tokenizer {
            file: Rules {
                normalizer: file.normalizer,
                pre_tokenizer: file.pre_tokenizer,
                decoder: file.decoder,
            },
            model,
            tokens,
            added,
            special,
            before,
            after,
            unknown,
            vocabulary: count,
        })
    }

    /// Cuts `text` into tokens, special tokens added as the tokenizer's post-processor says.
    ///
    /// # Errors
    /// If nothing is left of `text` once it is trimmed, or the tokenizer has no token for a part
    /// of it.
    pub fn encode(&self, text: &str) -> Result<Vec<Token>, ModelError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(ModelError::EmptyInput);
        }
        let characters: Vec<char> = text.chars().collect();
        let mut tokens = self.plain(&self.before);
        for part in self.parts(text) {
            match part {
                Part::Added(id) => tokens.extend(self.token(id)),
                Part::Text(piece) => self.encode_part(piece, &characters, &mut tokens),
            }
        }
        tokens.extend(self.plain(&self.after));
        Ok(tokens)
    }

    /// The token numbered `id`; `None` outside the vocabulary.
    pub fn token(&self, id: u32) -> Option<Token> {
        let text = self.tokens.get(id as usize)?.clone()?;
        Some(Token {
            id,
            text,
            unknown: Some(id) == self.unknown,
        })
    }

    /// The text of `ids`, special tokens left out.
    ///
    /// # Errors
    /// None at present: what cannot be decoded is refused when the file is read.
    pub fn decode(&self, ids: &[u32]) -> Result<String, ModelError> {
        let shown = ids.iter().filter(|id| !self.special.contains(id));
        let pieces = shown.filter_map(|&id| self.tokens.get(id as usize)?.as_deref());
        Ok(match &self.file.decoder {
            None => pieces.collect::<Vec<_>>().join(" "),
            Some(decoder) => decoder.decode(pieces),
        })
    }

    /// Size of the vocabulary, special tokens included.
    pub fn vocabulary(&self) -> usize {
        self.vocabulary
    }

    fn plain(&self, ids: &[u32]) -> Vec<Token> {
        ids.iter().filter_map(|&id| self.token(id)).collect()
    }

    /// The text cut at added tokens: the leftmost first, of several there the longest.
    fn parts(&self, text: &str) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut rest = text;
        let mut passed = 0;
        let mut start = 0;
        while !rest.is_empty() {
            let found = self.added.iter();
            let mut found = found.filter(|(content, _)| rest.starts_with(content.as_str()));
            let taken = match found.next() {
                Some((content, id)) => {
                    let piece = Piece::of(&text[start..text.len() - rest.len()], passed);
                    passed += piece.len() + content.chars().count();
                    parts.extend((!piece.is_empty()).then_some(Part::Text(piece)));
                    parts.push(Part::Added(*id));
                    start = text.len() - rest.len() + content.len();
                    content.len()
                }
                None => rest.chars().next().map_or(1, char::len_utf8),
            };
            rest = &rest[taken..];
        }
        let piece = Piece::of(&text[start..], passed);
        parts.extend((!piece.is_empty()).then_some(Part::Text(piece)));
        parts
    }

    /// Appends the tokens of a part; an unknown token shows the characters it stands for.
    fn encode_part(&self, mut piece: Piece, characters: &[char], tokens: &mut Vec<Token>) {
        if let Some(rules) = &self.file.normalizer {
            normalize(rules, &mut piece);
        }
        let pieces = match &self.file.pre_tokenizer {
            Some(rules) => split(rules, piece),
            None => vec![piece],
        };
        for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
            for (id, range) in self.model.tokens(piece) {
                let Some(mut token) = self.token(id) else {
                    continue;
                };
                if token.unknown
                    && let Some(characters) = characters.get(piece.origin(range))
                {
                    token.text = characters.iter().collect();
                }
                tokens.push(token);
            }
        }
    }
}

impl Words {
    /// Tokens and which characters of the piece each stands for.
    fn tokens(&self, piece: &Piece) -> Vec<(u32, std::ops::Range<usize>)> {
        match self {
            Words::Bpe(bpe) => bpe.tokens(piece),
            Words::WordLevel {
                vocabulary,
                unknown,
            } => {
                let id = vocabulary.get(&piece.text()).copied().or(*unknown);
                id.map(|id| (id, 0..piece.len())).into_iter().collect()
            }
        }
    }
}

#[cfg(test)]
mod tests;
