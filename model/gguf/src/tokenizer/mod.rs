//! `tokenizer.json` from the metadata.

mod byte_level;
mod sentence_piece;
#[cfg(test)]
mod tests;
mod word_piece;

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

/// The key of the template of conversations.
const CHAT_TEMPLATE: &str = "tokenizer.chat_template";
/// The special tokens that templates name, and what begins the keys of their numbers.
const NAMED: [(&str, &str); 5] = [
    ("bos_token", "bos"),
    ("eos_token", "eos"),
    ("unk_token", "unknown"),
    ("sep_token", "seperator"),
    ("pad_token", "padding"),
];

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
        "bert" => return word_piece::tokenizer(file, &vocabulary),
        "gpt2" => byte_level::parts(file, &vocabulary)?,
        "llama" => (sentence_piece::parts(file, &vocabulary)?, true),
        other => {
            let fault = "is not implemented; gpt2, llama and bert are";
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

/// Returns the entries of `tokenizer_config.json` that are for conversations: the template, and the special tokens that it
/// may name. `None` if the file has no template.
///
/// # Errors
/// If a value is of another type, or a special token is none of the file's.
pub fn tokenizer_config(file: &Gguf<'_>) -> Result<Option<Value>, GgufError> {
    let Some(template) = file.header.metadata.text(CHAT_TEMPLATE)? else {
        return Ok(None);
    };
    let vocabulary = Vocabulary::read(file)?;
    let mut config = Map::new();
    config.insert("chat_template".to_owned(), json!(template));
    for (name, key) in NAMED {
        let key = format!("tokenizer.ggml.{key}_token_id");
        if let Some((token, _)) = vocabulary.token(file, &key)? {
            config.insert(name.to_owned(), json!(token));
        }
    }
    Ok(Some(Value::Object(config)))
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
