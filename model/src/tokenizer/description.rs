//! The parts of `tokenizer.json` that the segmenters do not expose, and checks that protect them.

use std::collections::BTreeSet;

use attention_trace::WordMark;
use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use crate::error::ModelError;

/// The most times that a post-processor may insert a text.
const MOST_REPEATS: usize = 8;
/// The largest factor by which a decoder may lengthen a text.
const MOST_DECODED: f64 = 64.0;

/// A fault of a `tokenizer.json`.
#[derive(Debug, Error)]
pub enum DescriptionFault {
    /// The file is not JSON of that kind.
    #[error("tokenizer.json cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// A template writes a token that the file does not describe.
    #[error(
        "the post-processor of tokenizer.json writes the token {0:?}, which is not among its special_tokens"
    )]
    TemplateToken(String),
    /// A template inserts the text too often.
    #[error(
        "the post-processor of tokenizer.json inserts the text {0} times; the limit is {MOST_REPEATS}"
    )]
    Repeats(usize),
    /// The table of a precompiled normalizer does not fit its own header.
    #[error(
        "the precompiled_charsmap in tokenizer.json cannot be parsed: it is damaged or cut short"
    )]
    CharacterMap,
    /// A pre-tokenizer cuts pieces without characters, which never ends.
    #[error("tokenizer.json has a FixedLength pre-tokenizer of length 0")]
    FixedLength,
    /// A decoder lengthens a text too much.
    #[error(
        "the decoder of tokenizer.json can lengthen a text {0:.0} times; the limit is {MOST_DECODED}"
    )]
    Decoded(f64),
}

impl From<DescriptionFault> for ModelError {
    fn from(fault: DescriptionFault) -> Self {
        ModelError::Tokenizer(fault.to_string())
    }
}

/// The parts of the file that are read here; the vocabulary is skipped.
#[derive(Deserialize)]
struct File {
    #[serde(default)]
    added_tokens: Vec<AddedToken>,
    #[serde(default)]
    normalizer: Value,
    #[serde(default)]
    pre_tokenizer: Value,
    #[serde(default)]
    post_processor: Value,
    #[serde(default)]
    decoder: Value,
    #[serde(default)]
    model: Model,
}

#[derive(Deserialize)]
struct AddedToken {
    id: u32,
    #[serde(default)]
    special: bool,
}

#[derive(Default, Deserialize)]
struct Model {
    #[serde(default)]
    unk_token: Value,
    #[serde(default)]
    unk_id: Value,
    #[serde(default)]
    continuing_subword_prefix: Option<String>,
    #[serde(default)]
    end_of_word_suffix: Option<String>,
}

impl Model {
    /// Returns the mark of words; SentencePiece's where the file names none.
    fn word_mark(self) -> WordMark {
        let marks = [
            self.continuing_subword_prefix.map(WordMark::Continuation),
            self.end_of_word_suffix.map(WordMark::End),
        ];
        let is_empty = |mark: &WordMark| matches!(mark, WordMark::Continuation(mark) | WordMark::End(mark) if mark.is_empty());
        let mut marks = marks.into_iter().flatten().filter(|mark| !is_empty(mark));
        marks.next().unwrap_or_default()
    }
}

/// The token for characters without a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// The piece as it is written.
    Piece(String),
    /// The number of the piece.
    Number(u32),
}

/// The tokens that a post-processor puts around a text, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Around {
    /// The tokens before the text.
    pub before: Vec<u32>,
    /// The tokens behind it.
    pub after: Vec<u32>,
}

impl Around {
    /// Returns the tokens of both sides.
    pub fn tokens(&self) -> impl Iterator<Item = u32> {
        self.before.iter().chain(&self.after).copied()
    }

    /// Reads the template of single texts; `None` if there is another post-processor, or the text is not in it once.
    fn read(post_processor: &Value) -> Option<Self> {
        if post_processor.is_null() {
            return Some(Around::default());
        }
        let mut templates = parts(post_processor).into_iter();
        let template = templates.find(|part| part["type"] == "TemplateProcessing")?;
        let pieces = template["single"].as_array()?;
        let is_text = |piece: &Value| !piece["Sequence"].is_null();
        let text = pieces.iter().position(is_text)?;
        let tokens = |pieces: &[Value]| -> Option<Vec<u32>> {
            let mut numbers = vec![];
            for piece in pieces {
                let token = &template["special_tokens"][piece["SpecialToken"]["id"].as_str()?];
                let ids = token["ids"].as_array()?.iter();
                let ids: Option<Vec<u64>> = ids.map(Value::as_u64).collect();
                numbers.extend(ids?);
            }
            let numbers = numbers.into_iter().map(u32::try_from);
            // A number beyond 32 bits is no token's.
            numbers.collect::<Result<_, _>>().ok()
        };
        Some(Around {
            before: tokens(&pieces[..text])?,
            after: tokens(&pieces[text + 1..])?,
        })
    }
}

/// The properties of a tokenizer apart from its vocabulary.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// True if its pieces are bytes, written with the letters of `bytes.rs`.
    pub is_byte_level: bool,
    /// Added tokens, whose text is not written in bytes.
    pub added: BTreeSet<u32>,
    /// Tokens that are no part of a text, such as its end.
    pub special: BTreeSet<u32>,
    /// The mark by which words are told apart.
    pub words: WordMark,
    /// The token for unknown characters, if the file names it.
    pub unknown: Option<Unknown>,
    /// The tokens around a text; `None` if they are not those of a template.
    pub around: Option<Around>,
}

impl Description {
    /// Reads the file, and refuses faults that a segmenter would not survive.
    ///
    /// # Errors
    /// If it is not a JSON object of that kind, or has one of the [faults](DescriptionFault).
    pub fn read(json: &[u8]) -> Result<Self, DescriptionFault> {
        let file: File = serde_json::from_slice(json)?;
        for part in parts(&file.normalizer) {
            check_character_map(part)?;
        }
        for part in parts(&file.pre_tokenizer) {
            if part["type"] == "FixedLength" && part["length"] == 0 {
                return Err(DescriptionFault::FixedLength);
            }
        }
        for part in parts(&file.post_processor) {
            check_template(part)?;
        }
        check_decoder(&file.decoder)?;
        let is_byte_level = [&file.normalizer, &file.pre_tokenizer, &file.decoder];
        let unknown = file.model.unk_token.as_str().map(str::to_owned);
        let number = file.model.unk_id.as_u64();
        let number = number.and_then(|number| u32::try_from(number).ok());
        Ok(Description {
            is_byte_level: is_byte_level
                .iter()
                .any(|value| parts(value).iter().any(|part| part["type"] == "ByteLevel")),
            added: file.added_tokens.iter().map(|token| token.id).collect(),
            special: {
                let special = file.added_tokens.iter().filter(|token| token.special);
                special.map(|token| token.id).collect()
            },
            words: file.model.word_mark(),
            unknown: unknown.map(Unknown::Piece).or(number.map(Unknown::Number)),
            around: Around::read(&file.post_processor),
        })
    }
}

/// Returns the parts of a normalizer, a pre-tokenizer, a post-processor or a decoder: the value itself, or the members
/// of a sequence.
fn parts(value: &Value) -> Vec<&Value> {
    let names = ["normalizers", "pretokenizers", "processors", "decoders"];
    let inner: Vec<&Value> = names
        .iter()
        .filter_map(|name| value[*name].as_array())
        .flatten()
        .collect();
    match inner.is_empty() {
        true => vec![value],
        false => inner.into_iter().flat_map(parts).collect(),
    }
}

/// Checks the table's length in bytes, with which it begins: it must be within the table.
fn check_character_map(part: &Value) -> Result<(), DescriptionFault> {
    let Some(map) = part["precompiled_charsmap"].as_str() else {
        return Ok(());
    };
    let length_bytes = map.len() / 4 * 3;
    let header = map.get(..8).and_then(little_endian);
    match header {
        Some(table) if table as usize + 4 <= length_bytes && table >= 4 => Ok(()),
        _ => Err(DescriptionFault::CharacterMap),
    }
}

/// Returns the number in the first four of the six bytes that eight letters of base64 encode. Only the header is
/// decoded: a general decoder would read the whole table, which the segmenters decode anyway, and would be one more
/// dependency of the page.
fn little_endian(letters: &str) -> Option<u32> {
    let six_bits = |letter: u8| -> Option<u64> {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        Some(value.into())
    };
    let bits = letters
        .bytes()
        .try_fold(0_u64, |bits, letter| Some(bits << 6 | six_bits(letter)?))?;
    let first_four = u32::try_from(bits >> 16).ok()?;
    Some(first_four.swap_bytes())
}

fn check_template(part: &Value) -> Result<(), DescriptionFault> {
    for template in ["single", "pair"] {
        let pieces = part[template].as_array().map_or(&[][..], Vec::as_slice);
        let repeats = pieces
            .iter()
            .filter(|piece| !piece["Sequence"].is_null())
            .count();
        if repeats > MOST_REPEATS {
            return Err(DescriptionFault::Repeats(repeats));
        }
        for piece in pieces {
            let written = piece["SpecialToken"]["id"].as_str();
            if let Some(token) = written.filter(|token| part["special_tokens"][*token].is_null()) {
                return Err(DescriptionFault::TemplateToken(token.to_owned()));
            }
        }
    }
    Ok(())
}

/// Checks the factor by which the decoder lengthens a text: each replacement lengthens it by the ratio of new to old
/// text.
fn check_decoder(decoder: &Value) -> Result<(), DescriptionFault> {
    let growth = |part: &&Value| -> f64 {
        let written = part["content"].as_str().map_or(0, str::len) as f64;
        let found = part["pattern"]["String"].as_str().map_or(0, str::len);
        (written / found.max(1) as f64).max(1.0)
    };
    let parts = parts(decoder);
    let replacing = parts.iter().filter(|part| part["type"] == "Replace");
    let growth: f64 = replacing.map(growth).product();
    match growth <= MOST_DECODED {
        true => Ok(()),
        false => Err(DescriptionFault::Decoded(growth)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(file: &Value) -> Result<Description, DescriptionFault> {
        Description::read(file.to_string().as_bytes())
    }

    #[test]
    fn bytes_and_added_tokens_are_found() {
        let plain = read(&json!({"model": {"unk_token": "<unk>"}})).unwrap();
        assert!(!plain.is_byte_level && plain.added.is_empty());
        assert_eq!(plain.unknown, Some(Unknown::Piece("<unk>".to_owned())));
        let bytes = json!({"type": "Sequence", "pretokenizers": [{"type": "Split"}, {"type": "ByteLevel"}]});
        let found = read(&json!({
            "pre_tokenizer": bytes, "added_tokens": [{"id": 7, "content": "<s>"}], "model": {"unk_id": 3}
        }));
        let found = found.unwrap();
        assert!(found.is_byte_level);
        assert_eq!(found.added, BTreeSet::from([7]));
        assert_eq!(found.unknown, Some(Unknown::Number(3)));
    }

    #[test]
    fn the_tokens_around_a_text_are_those_of_the_template() {
        let around = |single: Value| {
            let special =
                json!({"</s>": {"id": "</s>", "ids": [2]}, "en": {"id": "en", "ids": [7]}});
            let template =
                json!({"type": "TemplateProcessing", "single": single, "special_tokens": special});
            let read =
                read(&json!({"post_processor": {"type": "Sequence", "processors": [template]}}));
            read.unwrap().around
        };
        let text = json!({"Sequence": {"id": "A"}});
        let token = |token: &str| json!({"SpecialToken": {"id": token}});
        let found = around(json!([token("en"), text, token("</s>")])).unwrap();
        assert_eq!((found.before, found.after), (vec![7], vec![2]));
        let found = around(json!([text, token("</s>"), token("en")])).unwrap();
        assert_eq!((found.before, found.after), (vec![], vec![2, 7]));
        assert_eq!(around(json!([text, token("en"), text])), None);
        assert_eq!(read(&json!({})).unwrap().around, Some(Around::default()));
        let roberta = json!({"post_processor": {"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0]}});
        assert_eq!(read(&roberta).unwrap().around, None);
    }

    #[test]
    fn special_tokens_and_the_mark_of_words_are_found() {
        let added =
            json!([{"id": 1, "content": "</s>", "special": true}, {"id": 2, "content": "<x>"}]);
        let of = |model| read(&json!({"added_tokens": added, "model": model})).unwrap();
        let found = of(json!({"continuing_subword_prefix": "##"}));
        assert_eq!(found.special, BTreeSet::from([1]));
        assert_eq!(found.words, WordMark::Continuation("##".to_owned()));
        let ends = of(json!({"continuing_subword_prefix": "", "end_of_word_suffix": "</w>"}));
        assert_eq!(ends.words, WordMark::End("</w>".to_owned()));
        let none = of(json!({"continuing_subword_prefix": null, "end_of_word_suffix": ""}));
        assert_eq!(none.words, WordMark::Start);
    }

    #[test]
    fn faults_that_a_segmenter_would_not_survive_are_named() {
        let template = |token: &str, repeats: usize| {
            let mut single = vec![json!({"SpecialToken": {"id": token, "type_id": 0}})];
            single.extend(vec![
                json!({"Sequence": {"id": "A", "type_id": 0}});
                repeats
            ]);
            json!({"post_processor": {
                "type": "TemplateProcessing", "single": single, "pair": [],
                "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [1], "tokens": ["[CLS]"]}},
            }})
        };
        assert!(read(&template("[CLS]", 1)).is_ok());
        let map = |map: &str| {
            json!({"normalizer": {"type": "Sequence", "normalizers": [
                {"type": "Precompiled", "precompiled_charsmap": map}
            ]}})
        };
        // Four bytes of a table, and a text of two.
        assert!(read(&map("BAAAAAAAAAAhAA==")).is_ok());
        let decoder = |content: &str| {
            json!({"decoder": {"type": "Sequence", "decoders": [
                {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                {"type": "Replace", "pattern": {"String": "a"}, "content": content},
            ]}})
        };
        assert!(read(&decoder("bb")).is_ok());
        for (file, said) in [
            (template("[SEP]", 1), "\"[SEP]\", which is not among"),
            (template("[CLS]", 1000), "inserts the text 1000 times"),
            (map("////////"), "precompiled_charsmap"),
            (map("!"), "precompiled_charsmap"),
            (map(""), "precompiled_charsmap"),
            (decoder(&"b".repeat(5000)), "can lengthen a text 5000 times"),
            (
                json!({"pre_tokenizer": {"type": "FixedLength", "length": 0}}),
                "FixedLength pre-tokenizer of length 0",
            ),
            (json!("text"), "cannot be read"),
        ] {
            let refused = read(&file).unwrap_err().to_string();
            assert!(refused.contains(said), "{refused}");
        }
    }
}
