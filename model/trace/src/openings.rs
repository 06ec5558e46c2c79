//! Beginnings of texts that choose what a model does: its task, or the languages of source and target.

use serde::{Deserialize, Serialize};

use crate::token::Token;

/// The beginnings that a model's files name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Openings {
    /// Beginnings of texts that the model reads, in the order of the files.
    pub source: Vec<Opening>,
    /// Beginnings of texts that it writes, one token each.
    pub target: Vec<TargetOpening>,
}

/// The beginning of a text that the model reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// The characters in front of the text, with the space behind them.
    pub text: String,
    /// The task or the language that they choose.
    pub chooses: Chosen,
}

/// The first token of a text that the model writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetOpening {
    /// The token of the language.
    pub token: Token,
    /// The language, as the files name it.
    pub language: String,
}

/// A choice by the beginning of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Chosen {
    /// The language of the text, as the files name it: `fra_Latn`, `fr`.
    Language(String),
    /// The language of the translation: `fra`, by the code `>>fra<<` of Marian's models.
    Into(String),
    /// The task, as the files name it: `summarization`.
    Task(String),
}

/// Returns the language that a token names, as M2M-100 (`__fr__`), NLLB (`fra_Latn`), mBART (`fr_XX`) and Marian
/// (`>>fra<<`) write it; `None` if it names none.
pub fn language_named(piece: &str) -> Option<&str> {
    let between = |before: &str, after: &str| piece.strip_prefix(before)?.strip_suffix(after);
    let marked = between("__", "__").or_else(|| between(">>", "<<"));
    if let Some(code) = marked {
        let is_code = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        return Some(code).filter(|code| !code.is_empty() && code.chars().all(is_code));
    }
    let (language, script) = piece.split_once('_')?;
    let is_language =
        matches!(language.len(), 2 | 3) && language.chars().all(|c| c.is_ascii_lowercase());
    let is_script = matches!(script.len(), 2 | 4)
        && script.starts_with(|c: char| c.is_ascii_uppercase())
        && script.chars().all(|c| c.is_ascii_alphabetic());
    (is_language && is_script).then_some(piece)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_from_other_tokens() {
        for (piece, language) in [
            ("__zh__", Some("zh")),
            ("fra_Latn", Some("fra_Latn")),
            ("en_XX", Some("en_XX")),
            (">>cmn_Hans<<", Some("cmn_Hans")),
            (">>zh-TW<<", Some("zh-TW")),
            ("<mask>", None),
            ("____", None),
            ("__a b__", None),
            (">>a<b<<", None),
            ("fra_latn", None),
            ("extra_id", None),
            ("a_B", None),
            ("", None),
        ] {
            assert_eq!(language_named(piece), language, "{piece}");
        }
    }
}
