//! Text to tokens and back, by a Hugging Face `tokenizer.json`.
//!
//! Hugging Face keeps two implementations of that format: a Rust crate, which programs use, and a
//! JavaScript module of a few kilobytes, which browsers use, where the crate would make up most of what
//! is downloaded. [`Segmenter`] is what is asked of either.

#[cfg(feature = "tokenizers")]
mod hugging_face;

use std::fmt::Debug;
use std::sync::Arc;

use attention_trace::{Token, roles::is_punctuation};

use crate::error::ModelError;

/// An implementation of `tokenizer.json`. Its errors are sentences of the implementation's own.
pub trait Segmenter: Debug + Send + Sync {
    /// The numbers of the tokens of `text`, special tokens added as the post-processor says.
    ///
    /// # Errors
    /// If the implementation refuses the text.
    fn encode(&self, text: &str) -> Result<Vec<u32>, ModelError>;

    /// The text of `ids`, special tokens left out.
    ///
    /// # Errors
    /// If the implementation refuses the ids.
    fn decode(&self, ids: &[u32]) -> Result<String, ModelError>;

    /// The piece numbered `id`, a word's leading space shown as `▁`; `None` where there is none, as beyond
    /// the vocabulary.
    fn piece(&self, id: u32) -> Option<String>;

    /// The number of a piece; `None` where the vocabulary lacks it.
    fn id(&self, piece: &str) -> Option<u32>;

    /// Size of the vocabulary, special tokens included.
    fn vocabulary(&self) -> usize;
}

/// A trained tokenizer.
#[derive(Clone, Debug)]
pub struct Tokenizer {
    segmenter: Arc<dyn Segmenter>,
    unknown: Option<u32>,
}

impl Tokenizer {
    /// The tokenizer that `segmenter` implements.
    pub fn new(segmenter: impl Segmenter + 'static) -> Self {
        Tokenizer {
            unknown: segmenter.id("<unk>").or_else(|| segmenter.id("[UNK]")),
            segmenter: Arc::new(segmenter),
        }
    }

    /// Reads a `tokenizer.json`.
    ///
    /// # Errors
    /// If the bytes are not one.
    #[cfg(feature = "tokenizers")]
    pub fn from_json(bytes: &[u8]) -> Result<Self, ModelError> {
        hugging_face::HuggingFace::from_json(bytes).map(Self::new)
    }

    /// Cuts `text` into tokens, special tokens added as the tokenizer's post-processor says.
    ///
    /// # Errors
    /// If nothing is left of `text` once it is trimmed or normalised, or the tokenizer refuses it.
    pub fn encode(&self, text: &str) -> Result<Vec<Token>, ModelError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(ModelError::EmptyInput);
        }
        let ids = self.segmenter.encode(text)?;
        if ids.is_empty() {
            return Err(ModelError::EmptyInput);
        }
        let mut tokens: Vec<Token> = ids.into_iter().map(|id| self.token(id)).collect();
        name_unknown(&mut tokens, text);
        Ok(tokens)
    }

    /// The token numbered `id`. Many published models have more rows than their tokenizer has pieces; a row
    /// without one is shown by its number, as `<408>`.
    pub fn token(&self, id: u32) -> Token {
        Token {
            id,
            text: self.segmenter.piece(id).unwrap_or_else(|| nameless(id)),
            unknown: Some(id) == self.unknown,
        }
    }

    /// The number of the token written `piece`; `None` where there is none.
    pub fn id(&self, piece: &str) -> Option<u32> {
        self.segmenter.id(piece)
    }

    /// The text of `ids`, special tokens left out, numbers without a piece written as `<408>`.
    ///
    /// # Errors
    /// If the tokenizer refuses the ids.
    pub fn decode(&self, ids: &[u32]) -> Result<String, ModelError> {
        let is_piece = |id: &u32| self.segmenter.piece(*id).is_some();
        if ids.iter().all(is_piece) {
            return self.segmenter.decode(ids);
        }
        let mut text = String::new();
        let (mut pieces, mut before) = (vec![], String::new());
        for part in ids.chunk_by(|a, b| is_piece(a) == is_piece(b)) {
            if !part.iter().all(is_piece) {
                text.extend(part.iter().map(|&id| nameless(id)));
                continue;
            }
            // What these pieces add to those before them: decoded alone they would lose the space that
            // their first word begins with.
            pieces.extend_from_slice(part);
            let longer = self.segmenter.decode(&pieces)?;
            match longer.strip_prefix(&before) {
                Some(added) => text.push_str(added),
                None => text.push_str(&self.segmenter.decode(part)?),
            }
            before = longer;
        }
        Ok(text)
    }

    /// Size of the vocabulary, special tokens included.
    pub fn vocabulary(&self) -> usize {
        self.segmenter.vocabulary()
    }
}

/// What is shown of a row that the tokenizer has no piece for.
fn nameless(id: u32) -> String {
    format!("<{id}>")
}

/// Gives unknown tokens the characters they stand for: those between the known pieces around them.
/// Where the text was normalised out of recognition, they keep the name they have.
fn name_unknown(tokens: &mut [Token], text: &str) {
    let mut rest = text;
    let mut index = 0;
    while index < tokens.len() {
        let run = tokens[index..].iter().take_while(|token| token.unknown);
        let count = run.count();
        if count == 0 {
            rest = after(rest, &spelling(&tokens[index]));
            index += 1;
            continue;
        }
        let next = tokens.get(index + count);
        let end = next.and_then(|token| rest.find(&*spelling(token)));
        let (characters, following) = rest.split_at(end.unwrap_or(rest.len()));
        let run = &mut tokens[index..index + count];
        for (token, characters) in run.iter_mut().zip(shares(characters.trim(), count)) {
            token.text = characters.to_owned();
        }
        rest = following;
        index += count;
    }
}

/// What each of `count` unknown tokens in a row stands for: tokenizers cut at punctuation, character by character. Where
/// that makes another number of pieces, a character each and the last one what remains.
fn shares(text: &str, count: usize) -> Vec<&str> {
    if count == 1 {
        return Some(text)
            .filter(|text| !text.is_empty())
            .into_iter()
            .collect();
    }
    let pieces: Vec<&str> = text
        .split_whitespace()
        .flat_map(|word| word.split_inclusive(is_punctuation))
        .flat_map(|piece| match piece.char_indices().next_back() {
            // A mark at the end of other characters is a piece of its own.
            Some((at, last)) if at > 0 && is_punctuation(last) => vec![&piece[..at], &piece[at..]],
            _ => vec![piece],
        })
        .collect();
    if pieces.len() == count {
        return pieces;
    }
    let (mut shares, mut rest) = (vec![], text);
    while let Some(first) = rest.chars().next() {
        let length = if shares.len() + 1 < count {
            first.len_utf8()
        } else {
            rest.len()
        };
        shares.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    shares
}

/// What follows a known piece. A space that is none of the text's own, as before its first word, is
/// not looked for further on.
fn after<'a>(text: &'a str, piece: &str) -> &'a str {
    if piece == " " {
        return text.strip_prefix(' ').unwrap_or(text);
    }
    match text.find(piece) {
        Some(start) => &text[start + piece.len()..],
        None => text,
    }
}

/// A piece as it stands in the text; a lone `▁` is a space.
fn spelling(token: &Token) -> String {
    match token.text.strip_prefix('▁') {
        Some("") => " ".to_owned(),
        Some(word) => word.to_owned(),
        None => token.text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tokens(pieces: &[&str]) -> Vec<Token> {
        pieces
            .iter()
            .map(|piece| Token {
                id: 0,
                text: (*piece).to_owned(),
                unknown: *piece == "<unk>",
            })
            .collect()
    }

    fn named(pieces: &[&str], text: &str) -> Vec<String> {
        let mut tokens = tokens(pieces);
        name_unknown(&mut tokens, text);
        tokens.into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn unknown_tokens_show_the_characters_they_stand_for() {
        assert_eq!(
            named(
                &["▁", "<unk>", "▁", "<unk>", "b", "<unk>", "</s>"],
                "😀 <b>"
            ),
            ["▁", "😀", "▁", "<", "b", ">", "</s>"]
        );
        assert_eq!(named(&["▁a", "<unk>"], "a🙂🙂"), ["▁a", "🙂🙂"]);
    }

    #[test]
    fn unknown_tokens_in_a_row_show_their_own_characters() {
        assert_eq!(
            named(&["▁", "<unk>", "<unk>", "</s>"], "{}"),
            ["▁", "{", "}", "</s>"]
        );
        assert_eq!(
            named(&["<unk>", "<unk>", "▁a"], "🙂🙂{ a"),
            ["🙂🙂", "{", "▁a"]
        );
        assert_eq!(named(&["<unk>", "<unk>"], "{🙂🙂"), ["{", "🙂🙂"]);
        assert_eq!(named(&["<unk>", "<unk>"], "我。"), ["我", "。"]);
        assert_eq!(named(&["<unk>", "<unk>"], "🙂🙂🙂"), ["🙂", "🙂🙂"]);
    }

    #[test]
    fn a_text_that_was_changed_leaves_them_their_name() {
        assert_eq!(
            named(&["▁fin", "<unk>", "▁1"], "ﬁn ①"),
            ["▁fin", "ﬁn ①", "▁1"]
        );
        assert_eq!(named(&["▁a", "<unk>", "<unk>"], "a?"), ["▁a", "?", "<unk>"]);
    }

    proptest! {
        #[test]
        fn shares_are_the_whole_text_in_its_order(text in "\\PC{0,8}", count in 1usize..6) {
            let text = text.trim();
            let squeezed = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(squeezed(&shares(text, count).concat()), squeezed(text));
            prop_assert!(shares(text, count).len() <= count);
        }

        #[test]
        fn naming_never_fails(text in ".{0,12}", pieces in prop::collection::vec("(<unk>|▁?.{0,2})", 0..6)) {
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            prop_assert_eq!(named(&pieces, &text).len(), pieces.len());
        }
    }
}
