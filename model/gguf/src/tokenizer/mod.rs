//! `tokenizer.json` from the metadata.

mod byte_level;
mod sentence_piece;

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::error::{GgufError, shown};
use crate::file::Gguf;
use crate::header::Value as Entry;

/// The key of the kind of tokenizer.
const MODEL: &str = "tokenizer.ggml.model";
/// The key of the tokens in order of their numbers.
const TOKENS: &str = "tokenizer.ggml.tokens";
/// The key of the tokens' kinds.
const KINDS: &str = "tokenizer.ggml.token_type";

/// The key of a separator behind the text.
const SEPARATOR: &str = "tokenizer.ggml.add_sep_token";

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A piece that text is cut into.
    Normal,
    /// The token for characters without a piece.
    Unknown,
    /// A token with a meaning, which is no text.
    Control,
    /// A text that is never cut.
    UserDefined,
    /// A row of the table that no token has, or a piece that training left out.
    Unused,
    /// A byte of a character without a piece.
    Byte,
}

/// The tokens of a file.
struct Vocabulary<'a> {
    tokens: &'a [&'a str],
    kinds: Vec<Kind>,
    ids: HashMap<&'a str, usize>,
}

/// Returns the `tokenizer.json` of the file's tokenizer. It gives the tokens of the tokenizer that the file was converted
/// from, which llama.cpp does too, except that Qwen's normalises a text to NFC first.
///
/// # Errors
/// If a value is missing, of another type, or asks for something that is not implemented.
pub fn tokenizer(file: &Gguf<'_>) -> Result<Value, GgufError> {
    let metadata = &file.header.metadata;
    let model = metadata.text(MODEL)?;
    let vocabulary = Vocabulary::read(file)?;
    let (parts, starts) = match model.ok_or_else(|| GgufError::missing(MODEL))? {
        "gpt2" => byte_level::parts(file, &vocabulary)?,
        "llama" => (sentence_piece::parts(file, &vocabulary)?, true),
        other => {
            let fault = "is not implemented; gpt2 and llama are";
            return Err(GgufError::value(MODEL, other, fault));
        }
    };
    let mut json = Map::new();
    json.insert("version".to_owned(), json!("1.0"));
    json.insert("added_tokens".to_owned(), vocabulary.added());
    json.insert(
        "post_processor".to_owned(),
        template(file, &vocabulary, starts)?,
    );
    json.extend(parts);
    Ok(Value::Object(json))
}

impl<'a> Vocabulary<'a> {
    fn read(file: &'a Gguf<'_>) -> Result<Self, GgufError> {
        let metadata = &file.header.metadata;
        let tokens = metadata.texts(TOKENS)?;
        let tokens = tokens.ok_or_else(|| GgufError::missing(TOKENS))?;
        let kinds = match metadata.scalars(KINDS)? {
            Some(kinds) => kinds
                .iter()
                .map(|kind| Kind::of(&kind))
                .collect::<Result<_, _>>()?,
            None => vec![Kind::Normal; tokens.len()],
        };
        check_length(KINDS, kinds.len(), tokens.len())?;
        let mut ids = HashMap::with_capacity(tokens.len());
        for (id, token) in tokens.iter().enumerate() {
            if is_token(token, kinds[id], id)
                && let Some(before) = ids.insert(*token, id)
            {
                let fault = format!("is the token of the numbers {before} and {id}");
                return Err(GgufError::value(
                    TOKENS,
                    format!("{:?}", shown(token)),
                    fault,
                ));
            }
        }
        Ok(Vocabulary { tokens, kinds, ids })
    }

    /// Returns the entry `vocab` of a model.
    fn vocab(&self) -> Value {
        let entries = self.ids.iter();
        let entries = entries.map(|(token, id)| ((*token).to_owned(), json!(id)));
        Value::Object(entries.collect())
    }

    /// Returns the tokens that a text is searched for before it is cut.
    fn added(&self) -> Value {
        let kinds = self.kinds.iter().enumerate();
        let added = kinds.filter(|(id, kind)| {
            let is_added = matches!(kind, Kind::Control | Kind::UserDefined | Kind::Unknown);
            is_added && !self.tokens[*id].is_empty()
        });
        let added = added.map(|(id, kind)| {
            json!({
                "id": id, "content": self.tokens[id], "single_word": false, "lstrip": false, "rstrip": false,
                "normalized": false, "special": *kind != Kind::UserDefined,
            })
        });
        added.collect()
    }

    /// Returns the token whose number is the value of a key of the metadata.
    fn token(&self, file: &Gguf<'_>, key: &str) -> Result<Option<(&'a str, u64)>, GgufError> {
        let Some(id) = file.header.metadata.natural(key)? else {
            return Ok(None);
        };
        let token = usize::try_from(id).ok().and_then(|id| self.tokens.get(id));
        match token {
            Some(token) => Ok(Some((token, id))),
            None => Err(GgufError::value(
                key,
                id,
                format!("is not one of {} tokens", self.tokens.len()),
            )),
        }
    }
}

/// Returns false for the names that converters give to rows of the table without a token.
fn is_token(token: &str, kind: Kind, id: usize) -> bool {
    kind != Kind::Unused || token != format!("[PAD{id}]")
}

impl Kind {
    fn of(value: &Entry<'_>) -> Result<Self, GgufError> {
        match value {
            Entry::Natural(1) => Ok(Kind::Normal),
            Entry::Natural(2) => Ok(Kind::Unknown),
            Entry::Natural(3) => Ok(Kind::Control),
            Entry::Natural(4) => Ok(Kind::UserDefined),
            Entry::Natural(5) => Ok(Kind::Unused),
            Entry::Natural(6) => Ok(Kind::Byte),
            other => Err(GgufError::value(KINDS, other, "is not a kind of token")),
        }
    }
}

/// Refuses a list that does not have an item for each token.
fn check_length(key: &str, items: usize, tokens: usize) -> Result<(), GgufError> {
    match items == tokens {
        true => Ok(()),
        false => Err(GgufError::value(
            key,
            items,
            format!("items are there for {tokens} tokens"),
        )),
    }
}

/// Returns the post-processor, which adds the tokens that a text begins and ends with; `starts` is true if it begins with
/// one unless the metadata say otherwise.
fn template(
    file: &Gguf<'_>,
    vocabulary: &Vocabulary<'_>,
    starts: bool,
) -> Result<Value, GgufError> {
    let metadata = &file.header.metadata;
    if metadata.boolean(SEPARATOR)? == Some(true) {
        let fault = "is not implemented; false is";
        return Err(GgufError::value(SEPARATOR, true, fault));
    }
    let mut single = vec![json!({"Sequence": {"id": "A", "type_id": 0}})];
    let mut special = Map::new();
    for (name, usual) in [("bos", starts), ("eos", false)] {
        if !metadata
            .boolean(&format!("tokenizer.ggml.add_{name}_token"))?
            .unwrap_or(usual)
        {
            continue;
        }
        let key = format!("tokenizer.ggml.{name}_token_id");
        let (token, id) = vocabulary
            .token(file, &key)?
            .ok_or_else(|| GgufError::missing(key))?;
        let place = if name == "bos" { 0 } else { single.len() };
        single.insert(place, json!({"SpecialToken": {"id": token, "type_id": 0}}));
        special.insert(
            token.to_owned(),
            json!({"id": token, "ids": [id], "tokens": [token]}),
        );
    }
    if special.is_empty() {
        return Ok(Value::Null);
    }
    Ok(json!({
        "type": "TemplateProcessing",
        "single": single,
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": special,
    }))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::written::Written;

    /// A byte-level tokenizer of four pieces, an end and a row without a token.
    fn byte_level(pre: &str) -> Written {
        Written::model("llama")
            .with_text(MODEL, "gpt2")
            .with_text("tokenizer.ggml.pre", pre)
            .with_texts(TOKENS, &["a", "b", "ab", "<end>", "<tool>", "[PAD5]"])
            .with_numbers(KINDS, &[1, 1, 1, 3, 4, 5])
            .with_texts("tokenizer.ggml.merges", &["a b"])
            .with_number("tokenizer.ggml.bos_token_id", 3)
    }

    fn sentence_piece(scores: &[f32]) -> Written {
        Written::model("llama")
            .with_text(MODEL, "llama")
            .with_texts(
                TOKENS,
                &["<unk>", "<s>", "<0x0A>", "ab", "a", "b", "bc", "c", "abc"],
            )
            .with_numbers(KINDS, &[2, 3, 6, 1, 1, 1, 1, 1, 1])
            .with_reals("tokenizer.ggml.scores", scores)
            .with_number("tokenizer.ggml.bos_token_id", 1)
    }

    const SCORES: [f32; 9] = [0.0, 0.0, 0.0, -2.0, -9.0, -9.0, -1.0, -9.0, -3.0];

    fn read(written: &Written) -> Result<Value, GgufError> {
        let bytes = written.bytes();
        tokenizer(&Gguf::read(&bytes)?)
    }

    #[test]
    fn a_byte_level_tokenizer_is_translated() {
        let json = read(&byte_level("qwen2")).unwrap();
        let vocab = json!({"a": 0, "b": 1, "ab": 2, "<end>": 3, "<tool>": 4});
        assert_eq!(json["model"]["vocab"], vocab);
        assert_eq!(json["model"]["merges"], json!([["a", "b"]]));
        assert_eq!(json["model"]["ignore_merges"], false);
        assert_eq!(json["normalizer"], json!({"type": "NFC"}));
        assert_eq!(json["post_processor"], Value::Null);
        let special = json["added_tokens"].as_array().unwrap().iter();
        let special: Vec<_> = special
            .map(|token| (&token["id"], &token["special"]))
            .collect();
        assert_eq!(
            special,
            [(&json!(3), &json!(true)), (&json!(4), &json!(false))]
        );
        let json = read(&byte_level("llama-bpe")).unwrap();
        assert_eq!(json["model"]["ignore_merges"], true);
        assert_eq!(
            json["post_processor"]["single"][0]["SpecialToken"]["id"],
            "<end>"
        );
        let without = byte_level("llama-bpe").with_boolean("tokenizer.ggml.add_bos_token", false);
        assert_eq!(read(&without).unwrap()["post_processor"], Value::Null);
    }

    #[test]
    fn pairs_of_pieces_are_merged_by_their_scores() {
        let json = read(&sentence_piece(&SCORES)).unwrap();
        let merges = json!([["b", "c"], ["a", "b"], ["ab", "c"], ["a", "bc"]]);
        assert_eq!(json["model"]["merges"], merges);
        assert_eq!(json["model"]["unk_token"], "<unk>");
        assert_eq!(
            json["post_processor"]["single"][0]["SpecialToken"]["id"],
            "<s>"
        );
        let plain = sentence_piece(&SCORES).with_boolean("tokenizer.ggml.add_space_prefix", false);
        assert_eq!(read(&plain).unwrap()["normalizer"]["type"], "Replace");
    }

    #[test]
    fn faults_are_named() {
        let mut broken = SCORES;
        broken[4] = f32::NAN;
        for (written, words) in [
            (
                Written::model("llama"),
                "tokenizer.ggml.tokens: it is missing",
            ),
            (
                byte_level("viking"),
                "tokenizer.ggml.pre: viking is not implemented; gpt-2, smollm",
            ),
            (
                byte_level("default"),
                "tokenizer.ggml.pre: default is not implemented",
            ),
            (
                byte_level("qwen2").with_boolean("tokenizer.ggml.add_eos_token", true),
                "eos_token_id: it is missing",
            ),
            (
                byte_level("qwen2").with_boolean("tokenizer.ggml.add_sep_token", true),
                "add_sep_token: true is not",
            ),
            (
                byte_level("qwen2")
                    .with_boolean("tokenizer.ggml.add_eos_token", true)
                    .with_number("tokenizer.ggml.eos_token_id", 9),
                "eos_token_id: 9 is not one of 6 tokens",
            ),
            (
                sentence_piece(&SCORES[1..]),
                "scores: 8 items are there for 9 tokens",
            ),
            (
                sentence_piece(&broken),
                "scores: NaN is not a finite number",
            ),
            (
                Written::model("llama")
                    .with_texts(TOKENS, &["a", "a"])
                    .with_text(MODEL, "gpt2"),
                "tokens: \"a\" is the token of the numbers 0 and 1",
            ),
            (
                Written::model("llama")
                    .with_texts(TOKENS, &["a"])
                    .with_numbers(KINDS, &[7]),
                "token_type: 7 is not a kind",
            ),
            (
                Written::model("gpt2")
                    .with_text(MODEL, "gpt2")
                    .with_texts(TOKENS, &["a", "b"])
                    .with_texts("tokenizer.ggml.merges", &["a b"]),
                "merges: \"a b\" is not two tokens",
            ),
            (
                Written::model("llama")
                    .with_texts(TOKENS, &["a"])
                    .with_text(MODEL, "t5"),
                "tokenizer.ggml.model: t5 is not implemented",
            ),
        ] {
            let refused = read(&written).unwrap_err().to_string();
            assert!(refused.contains(words), "{refused} | {words}");
        }
    }
}
