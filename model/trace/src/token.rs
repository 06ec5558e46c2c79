//! Tokens as a tokenizer cuts a text.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::PictureGrid;

/// A token as the tokenizer cut it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// The token's row in the embedding table.
    pub id: u32,
    /// The text of the token, a word's leading space shown as `▁`, bytes that are no whole character as `<0xE4>`; for
    /// an unknown token, the characters that were typed.
    pub text: String,
    /// True if the tokenizer had no piece for these characters.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
}

/// A tokenizer's facts about the tokens of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pieces {
    /// The numbers of those that the tokenizer marks as special, such as `</s>`; never that of the unknown token, which
    /// stands for a part of the text.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub special: BTreeSet<u32>,
    /// The mark by which words are told apart.
    #[serde(default, skip_serializing_if = "WordMark::is_start")]
    pub words: WordMark,
    /// The token of a masked word, of a tokenizer that has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask: Option<Token>,
    /// The patches of the picture that the tokens stand for, if they stand for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<PictureGrid>,
}

impl Pieces {
    /// True if the tokenizer marks a token as special.
    pub fn is_special(&self, token: &Token) -> bool {
        self.special.contains(&token.id)
    }

    /// True if nothing differs from the default.
    pub(crate) fn is_default(&self) -> bool {
        *self == Pieces::default()
    }
}

/// The mark of words in the pieces of a tokenizer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WordMark {
    /// The space before a word, shown as `▁`: SentencePiece and byte-level tokenizers.
    #[default]
    Start,
    /// A prefix of every piece but a word's first: `##` of WordPiece.
    Continuation(String),
    /// A suffix of a word's last piece: `</w>` of early byte-pair encodings.
    End(String),
}

impl WordMark {
    fn is_start(&self) -> bool {
        *self == WordMark::Start
    }
}
