//! The segmenter of the `tokenizers` crate.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use serde::Deserialize;
use tokenizers::{
    AddedToken, DecoderWrapper, ModelWrapper, PostProcessorWrapper, PreTokenizerWrapper,
    TokenizerBuilder, TokenizerImpl,
};
use unicode_categories::UnicodeCategories;

use super::Segmenter;
use super::normalizer::{Bounded, take_fault};
use crate::error::ModelError;

type Tokenizer =
    TokenizerImpl<ModelWrapper, Bounded, PreTokenizerWrapper, PostProcessorWrapper, DecoderWrapper>;

/// The parts of the file that are read. `padding` and `truncation` are ignored: a model reads all tokens of a text and
/// no others.
#[derive(Deserialize)]
struct File {
    version: Option<String>,
    #[serde(default)]
    added_tokens: Vec<Numbered>,
    normalizer: Option<Bounded>,
    pre_tokenizer: Option<PreTokenizerWrapper>,
    post_processor: Option<PostProcessorWrapper>,
    decoder: Option<DecoderWrapper>,
    model: ModelWrapper,
}

/// An added token with the number that the file gives it.
#[derive(Deserialize)]
struct Numbered {
    id: u32,
    #[serde(flatten)]
    token: AddedToken,
}

/// The version of the format.
const VERSION: &str = "1.0";

/// A `tokenizer.json`, loaded by the crate.
#[derive(Debug)]
pub struct HuggingFace(Tokenizer);

impl HuggingFace {
    /// Reads a `tokenizer.json`.
    ///
    /// # Errors
    /// If the bytes are not one.
    pub fn from_json(bytes: &[u8]) -> Result<Self, ModelError> {
        guarded(|| {
            let file: File = serde_json::from_slice(bytes)?;
            if let Some(version) = file.version.filter(|version| version != VERSION) {
                return Err(format!("version {version:?} of the format is not {VERSION}").into());
            }
            let mut tokenizer = TokenizerBuilder::new()
                .with_model(file.model)
                .with_normalizer(file.normalizer)
                .with_pre_tokenizer(file.pre_tokenizer)
                .with_post_processor(file.post_processor)
                .with_decoder(file.decoder)
                .build()?;
            tokenizer.add_tokens(file.added_tokens.iter().map(|added| added.token.clone()))?;
            check_numbers(&tokenizer, &file.added_tokens)?;
            Ok(HuggingFace(tokenizer))
        })
    }
}

/// Refuses added tokens whose numbers in the crate differ from the file: the crate numbers them itself, so that gaps
/// close, and a token that is in the vocabulary already keeps its number there.
fn check_numbers(tokenizer: &Tokenizer, added: &[Numbered]) -> tokenizers::Result<()> {
    // The crate leaves out tokens without text.
    for Numbered { id, token } in added.iter().filter(|added| !added.token.content.is_empty()) {
        let found = tokenizer.token_to_id(&token.content);
        if found != Some(*id) {
            let found = found.map_or_else(|| "none".to_owned(), |found| found.to_string());
            return Err(format!(
                "the added token {:?} has number {id} in tokenizer.json, but {found} in the vocabulary",
                token.content
            )
            .into());
        }
    }
    Ok(())
}

impl Segmenter for HuggingFace {
    fn encode(&self, text: &str, adds_special: bool) -> Result<Vec<u32>, ModelError> {
        let encoding = guarded(|| self.0.encode_fast(text, adds_special))?;
        Ok(encoding.get_ids().to_vec())
    }

    fn stretches(&self, text: &str, id: u32) -> Result<Vec<String>, ModelError> {
        let encoding = guarded(|| self.0.encode(text, true))?;
        let ranges = encoding.get_offsets().iter();
        let mut found = vec![];
        // From the right, so that one pass knows for each token the nearest start at or after its end.
        let mut starts = BTreeSet::from([text.len()]);
        for (&(from, to), &token) in ranges.zip(encoding.get_ids()).rev() {
            if token == id {
                let next = starts.range(to..).next().copied();
                let end = with_marks(text, to, next.unwrap_or(text.len()));
                found.push(text.get(from..end).unwrap_or_default().to_owned());
            }
            starts.insert(from);
        }
        found.reverse();
        Ok(found)
    }

    fn decode(&self, ids: &[u32]) -> Result<String, ModelError> {
        guarded(|| self.0.decode(ids, true))
    }

    fn piece(&self, id: u32) -> Option<String> {
        self.0.id_to_token(id)
    }

    fn id(&self, piece: &str) -> Option<u32> {
        self.0.token_to_id(piece)
    }

    fn vocabulary(&self) -> usize {
        self.0.get_vocab_size(true)
    }
}

/// Returns the end of a stretch that ends at `to`, with the marks that follow: the crate counts a letter that a
/// normalizer composes with its accents as the letter alone. `next` is the start of the next token, at which the marks
/// end.
fn with_marks(text: &str, to: usize, next: usize) -> usize {
    let rest = text.get(to..next).unwrap_or_default();
    let is_mark = |character: char| character.is_mark();
    to + rest.len() - rest.trim_start_matches(is_mark).len()
}

thread_local! {
    /// True while a panic on this thread is caught and becomes an error.
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Turns a panic of the crate into an error, and keeps it from being printed. The crate panics on some files that are
/// not tokenizers, for example on a decoder whose settings are of another type.
fn guarded<T>(call: impl FnOnce() -> tokenizers::Result<T>) -> Result<T, ModelError> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !IS_CAUGHT.get() {
                others(panic);
            }
        }));
    });
    IS_CAUGHT.set(true);
    let result = catch_unwind(AssertUnwindSafe(call));
    IS_CAUGHT.set(false);
    if let Some(fault) = take_fault() {
        return Err(ModelError::Tokenizer(fault));
    }
    match result {
        Ok(result) => result.map_err(|error| ModelError::Tokenizer(error.to_string())),
        Err(panic) => Err(ModelError::Tokenizer(format!(
            "the tokenizers library cannot make sense of tokenizer.json: {}",
            panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("it does not say why")
        ))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Returns a tokenizer of the words `a` and `b`, with these entries of the file besides.
    fn tokenizer(entries: Value) -> Result<HuggingFace, ModelError> {
        let mut file = json!({
            "version": "1.0",
            "added_tokens": [],
            "pre_tokenizer": {"type": "Whitespace"},
            "model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1, "[PAD]": 2, "<unk>": 3}, "unk_token": "<unk>"},
        });
        if let (Value::Object(file), Value::Object(entries)) = (&mut file, entries) {
            file.extend(entries);
        }
        HuggingFace::from_json(file.to_string().as_bytes())
    }

    #[test]
    fn a_decoder_of_the_wrong_type_is_refused() {
        let file = br#"{"version":"1.0","added_tokens":[],"normalizer":null,"pre_tokenizer":null,
            "post_processor":null,"decoder":{"1":{}},"model":{"type":"BPE","vocab":{},"merges":[]}}"#;
        for damaged in [file.as_slice(), br#"{"decoder":{1:2}}"#, b"{"] {
            assert!(matches!(
                HuggingFace::from_json(damaged),
                Err(ModelError::Tokenizer(_))
            ));
        }
    }

    #[test]
    fn padding_and_truncation_of_the_file_are_not_used() {
        let padding = |strategy: Value| {
            json!({"padding": {
                "strategy": strategy, "direction": "Left", "pad_to_multiple_of": 8, "pad_id": 2, "pad_type_id": 0,
                "pad_token": "[PAD]",
            }})
        };
        let truncation = |length: u64, stride: u64| {
            json!({"truncation": {
                "max_length": length, "strategy": "LongestFirst", "stride": stride, "direction": "Right",
            }})
        };
        for entries in [
            padding(json!({"Fixed": 32})),
            padding(json!({"Fixed": 1_000_000_000})),
            padding(json!("BatchLongest")),
            truncation(2, 0),
            truncation(2, 2),
            truncation(0, 9),
            json!({"padding": "no such strategy", "truncation": {"max_length": -1}}),
        ] {
            let found = tokenizer(entries.clone())
                .unwrap()
                .encode("a b a", true)
                .unwrap();
            assert_eq!(found, [0, 1, 0], "{entries}");
        }
    }

    #[test]
    fn a_normalizer_that_makes_much_of_little_is_named() {
        let replace = |content: usize, pattern: Value| json!({"type": "Replace", "pattern": pattern, "content": "b ".repeat(content / 2)});
        let refusal = |normalizer: Value, text: &str| {
            let read = tokenizer(json!({"normalizer": normalizer})).unwrap();
            read.encode(text, true).unwrap_err().to_string()
        };
        let expands = "the normalizer expands a text of 3 bytes to more than 1216 bytes";
        let doubling = vec![replace(4, json!({"String": "b"})); 40];
        for normalizer in [
            replace(1_000_000, json!({"String": "a"})),
            replace(100_000, json!({"Regex": ""})),
            replace(2_000, json!({"Regex": "a|b"})),
            json!({"type": "Prepend", "prepend": "a".repeat(10_000_000)}),
            json!({"type": "Sequence", "normalizers": doubling}),
        ] {
            let refused = refusal(normalizer, "a b");
            assert!(refused.contains(expands), "{refused}");
        }
        // Escaped, these would be assertions of a regular expression, which match nothing of the text.
        for pattern in ["<", ">"] {
            let normalizer = replace(1_000_000, json!({"String": pattern}));
            let refused = refusal(normalizer, &pattern.repeat(3));
            assert!(refused.contains(expands), "{refused}");
        }
    }

    #[test]
    fn a_normalizer_may_write_characters_out() {
        let steps = json!({"type": "Sequence", "normalizers": [
            {"type": "NFKC"},
            {"type": "Replace", "pattern": {"String": "("}, "content": " [ open ] "},
            {"type": "Prepend", "prepend": "b "},
            {"type": "Lowercase"},
        ]});
        let read = tokenizer(json!({"normalizer": steps})).unwrap();
        let text = "A ﷺ(".repeat(400);
        assert!(read.encode(&text, true).unwrap().len() > 1000);
        assert_eq!(read.encode("A", true).unwrap(), [1, 0]);
    }

    #[test]
    fn a_panic_of_the_library_is_an_error_that_says_why() {
        let template = json!({
            "type": "TemplateProcessing", "pair": [],
            "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "special_tokens": {},
        });
        let map = json!({"type": "Precompiled", "precompiled_charsmap": "////"});
        for (entries, why) in [
            (json!({"post_processor": template}), "no entry found"),
            (json!({"normalizer": map}), "precompiled"),
        ] {
            let refused = tokenizer(entries)
                .and_then(|read| read.encode("a", true))
                .unwrap_err()
                .to_string();
            assert!(refused.contains(why), "{refused}");
        }
    }

    #[test]
    fn unknown_tokens_have_the_stretches_of_the_text_as_it_was_given() {
        let steps =
            json!({"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Lowercase"}]});
        let read = tokenizer(json!({"normalizer": steps})).unwrap();
        let text = "Ａ ＪＥ b 😀 ｓｕｉｓ";
        assert_eq!(read.encode(text, true).unwrap(), [0, 3, 1, 3, 3]);
        assert_eq!(read.stretches(text, 3).unwrap(), ["ＪＥ", "😀", "ｓｕｉｓ"]);
        // The normalizer composes letters with their marks, of whatever script.
        let text = "be\u{301} a \u{627}\u{653}";
        assert_eq!(
            read.stretches(text, 3).unwrap(),
            ["be\u{301}", "\u{627}\u{653}"]
        );
    }

    /// A scan of all that follows each of them would take minutes.
    #[test]
    fn many_unknown_tokens_are_found_in_one_pass() {
        let read = tokenizer(json!({})).unwrap();
        let text = "x ".repeat(200_000);
        let began = std::time::Instant::now();
        assert_eq!(read.stretches(&text, 3).unwrap().len(), 200_000);
        assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
    }

    #[test]
    fn an_added_token_has_the_number_that_the_file_gives_it() {
        let added = |id: u32, content: &str| {
            json!({"added_tokens": [{
                "id": id, "content": content, "single_word": false, "lstrip": false, "rstrip": false,
                "normalized": false, "special": true,
            }]})
        };
        for (id, content) in [(4, "<s>"), (2, "[PAD]"), (9, "")] {
            assert!(tokenizer(added(id, content)).is_ok(), "{content}");
        }
        for (id, content, found) in [(7, "<s>", 4), (4, "[PAD]", 2)] {
            let refused = tokenizer(added(id, content)).unwrap_err().to_string();
            let said = format!(
                "the added token {content:?} has number {id} in tokenizer.json, but {found} in the vocabulary"
            );
            assert!(refused.contains(&said), "{refused}");
        }
    }
}
