//! WordPiece, as BERT has it: `tokenizer.ggml.model` is `bert`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Kind, TOKENS, Vocabulary, is_token};
use crate::error::{GgufError, shown};
use crate::file::Gguf;

/// The mark before a piece that begins a word; files have no mark before the others.
const START: char = '▁';
/// BERT's own mark, before a piece that goes on with a word.
const CONTINUES: &str = "##";
/// The most characters of a word that is cut; longer ones are unknown.
const LONGEST_WORD: u32 = 100;
/// The keys of the tokens that a text begins and ends with and of the token for unknown words, each with its number in BERT
/// for files that do not give it.
const USUAL: [(&str, u64); 3] = [
    ("tokenizer.ggml.bos_token_id", 101),
    ("tokenizer.ggml.seperator_token_id", 102),
    ("tokenizer.ggml.unknown_token_id", 100),
];

/// Returns the whole `tokenizer.json`. Files do not say whether texts are put into small letters; they are if no piece has a
/// capital, since such pieces could not be reached otherwise.
pub fn tokenizer(file: &Gguf<'_>, vocabulary: &Vocabulary<'_>) -> Result<Value, GgufError> {
    let pieces = pieces(vocabulary)?;
    let special = |(key, usual): (&str, u64)| {
        let given = vocabulary.token(file, key)?;
        let usual = usize::try_from(usual).ok();
        let found = given.or_else(|| Some((*vocabulary.tokens.get(usual?)?, usual? as u64)));
        found.ok_or_else(|| GgufError::missing(key))
    };
    let [start, separator, unknown] = USUAL.map(special);
    let (start, separator, unknown) = (start?, separator?, unknown?);
    let has_capitals = |(piece, id): (&String, &usize)| {
        vocabulary.kinds[*id] == Kind::Normal
            && !is_reserved(piece)
            && *piece != piece.to_lowercase()
    };
    let lowers = !pieces.iter().any(has_capitals);
    let token = |(text, _): (&str, u64), text_number: u8| json!({"SpecialToken": {"id": text, "type_id": text_number}});
    let text = |name: &str, number: u8| json!({"Sequence": {"id": name, "type_id": number}});
    let described = |(text, id): (&str, u64)| {
        let token = json!({"id": text, "ids": [id], "tokens": [text]});
        (text.to_owned(), token)
    };
    Ok(json!({
        "version": "1.0",
        "added_tokens": added(vocabulary),
        "normalizer": {
            "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null,
            "lowercase": lowers,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [token(start, 0), text("A", 0), token(separator, 0)],
            "pair": [
                token(start, 0), text("A", 0), token(separator, 0), text("B", 1), token(separator, 1),
            ],
            "special_tokens": Value::Object([described(start), described(separator)].into_iter().collect()),
        },
        "decoder": {"type": "WordPiece", "prefix": CONTINUES, "cleanup": true},
        "model": {
            "type": "WordPiece", "unk_token": unknown.0, "continuing_subword_prefix": CONTINUES,
            "max_input_chars_per_word": LONGEST_WORD, "vocab": pieces,
        },
    }))
}

/// Returns the tokens that a text is searched for before it is cut. Files mark those that are no special ones as words.
fn added(vocabulary: &Vocabulary<'_>) -> Value {
    let mut added = vocabulary.added();
    for token in added.as_array_mut().into_iter().flatten() {
        let content = token["content"]
            .as_str()
            .and_then(|text| text.strip_prefix(START));
        if let Some(word) = content.map(str::to_owned) {
            token["content"] = word.into();
        }
    }
    added
}

/// True for the names of special tokens and of places that training left free, such as `[unused7]`.
fn is_reserved(piece: &str) -> bool {
    piece.starts_with('[') && piece.ends_with(']')
}

/// Returns the pieces with BERT's own marks, and their numbers.
fn pieces(vocabulary: &Vocabulary<'_>) -> Result<BTreeMap<String, usize>, GgufError> {
    let mut pieces = BTreeMap::new();
    for (id, (token, kind)) in vocabulary.tokens.iter().zip(&vocabulary.kinds).enumerate() {
        let (word, rest) = (token.strip_prefix(START), *token);
        if !is_token(word.unwrap_or(rest), *kind, id) {
            continue;
        }
        let piece = match (kind, word) {
            (Kind::Control | Kind::Unknown, _) => rest.to_owned(),
            (_, Some(word)) => word.to_owned(),
            (_, None) => format!("{CONTINUES}{rest}"),
        };
        let twice = pieces.insert(piece, id);
        if let Some(before) = twice {
            let fault = format!("is the token of the numbers {before} and {id}");
            let token = format!("{:?}", shown(token));
            return Err(GgufError::value(TOKENS, token, fault));
        }
    }
    Ok(pieces)
}
