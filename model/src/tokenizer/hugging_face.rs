//! The `tokenizers` crate.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use serde::Deserialize;
use tokenizers::{
    AddedToken, DecoderWrapper, ModelWrapper, PostProcessorWrapper, PreTokenizerWrapper,
    TokenizerBuilder, TokenizerImpl,
};

use super::Segmenter;
use super::normalizer::{Bounded, take_fault};
use crate::error::ModelError;

type Tokenizer =
    TokenizerImpl<ModelWrapper, Bounded, PreTokenizerWrapper, PostProcessorWrapper, DecoderWrapper>;

/// What the file says. `padding` and `truncation` are not read: a model is given the tokens of a text, all of them and no
/// others.
#[derive(Deserialize)]
struct File {
    version: Option<String>,
    #[serde(default)]
    added_tokens: Vec<AddedToken>,
    normalizer: Option<Bounded>,
    pre_tokenizer: Option<PreTokenizerWrapper>,
    post_processor: Option<PostProcessorWrapper>,
    decoder: Option<DecoderWrapper>,
    model: ModelWrapper,
}

/// The version of the format.
const VERSION: &str = "1.0";

/// A `tokenizer.json` as the crate reads it.
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
            tokenizer.add_tokens(file.added_tokens)?;
            Ok(HuggingFace(tokenizer))
        })
    }
}

impl Segmenter for HuggingFace {
    fn encode(&self, text: &str) -> Result<Vec<u32>, ModelError> {
        let encoding = guarded(|| self.0.encode_fast(text, true))?;
        Ok(encoding.get_ids().to_vec())
    }

    fn stretches(&self, text: &str, id: u32) -> Result<Vec<String>, ModelError> {
        let encoding = guarded(|| self.0.encode(text, true))?;
        let ranges = encoding.get_offsets();
        let stretch = |place: usize| {
            let (from, to) = ranges[place];
            let following = ranges[place + 1..].iter().map(|range| range.0);
            let next = following.filter(|&start| start >= to).min();
            let next = next.unwrap_or(text.len());
            text.get(from..with_marks(text, to, next))
                .unwrap_or_default()
        };
        let ids = encoding.get_ids().iter().enumerate();
        let found = ids.filter(|(_, token)| **token == id);
        Ok(found.map(|(place, _)| stretch(place).to_owned()).collect())
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

/// The end of a stretch that ends at `to`, with the accents that follow: a letter that they were put together with counts
/// as the letter alone. None of them is at `next` or beyond, where other tokens begin.
fn with_marks(text: &str, to: usize, next: usize) -> usize {
    let rest = text.get(to..next).unwrap_or_default();
    let is_mark = |character: char| matches!(character, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}');
    to + rest.len() - rest.trim_start_matches(is_mark).len()
}

thread_local! {
    /// Whether a panic on this thread is caught, and told as an error.
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// The crate panics on some files that are not tokenizers, for one on a decoder whose settings are of another type. Such
/// a panic is an error like others, and is not printed.
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

    /// A tokenizer of the words `a` and `b`, with these entries of the file besides.
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
            let found = tokenizer(entries.clone()).unwrap().encode("a b a").unwrap();
            assert_eq!(found, [0, 1, 0], "{entries}");
        }
    }

    #[test]
    fn a_normalizer_that_makes_much_of_little_is_named() {
        let replace = |content: usize, pattern: Value| json!({"type": "Replace", "pattern": pattern, "content": "b ".repeat(content / 2)});
        let doubling = vec![replace(4, json!({"String": "b"})); 40];
        for normalizer in [
            replace(1_000_000, json!({"String": "a"})),
            replace(100_000, json!({"Regex": ""})),
            replace(2_000, json!({"Regex": "a|b"})),
            json!({"type": "Prepend", "prepend": "a".repeat(10_000_000)}),
            json!({"type": "Sequence", "normalizers": doubling}),
        ] {
            let read = tokenizer(json!({"normalizer": normalizer})).unwrap();
            let refused = read.encode("a b").unwrap_err().to_string();
            assert!(
                refused.contains("its normalizer makes more than"),
                "{refused}"
            );
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
        assert!(read.encode(&text).unwrap().len() > 1000);
        assert_eq!(read.encode("A").unwrap(), [1, 0]);
    }

    #[test]
    fn a_panic_of_the_library_is_an_error_that_says_why() {
        let template = json!({
            "type": "TemplateProcessing", "pair": [],
            "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "special_tokens": {},
        });
        let map = json!({"type": "Precompiled", "precompiled_charsmap": "////"});
        for entries in [
            json!({"post_processor": template}),
            json!({"normalizer": map}),
        ] {
            let refused = tokenizer(entries)
                .and_then(|read| read.encode("a"))
                .unwrap_err();
            assert!(matches!(refused, ModelError::Tokenizer(_)), "{refused}");
        }
    }

    #[test]
    fn unknown_tokens_have_the_stretches_of_the_text_as_it_was_given() {
        let steps =
            json!({"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Lowercase"}]});
        let read = tokenizer(json!({"normalizer": steps})).unwrap();
        let text = "Ａ ＪＥ b 😀 ｓｕｉｓ";
        assert_eq!(read.encode(text).unwrap(), [0, 3, 1, 3, 3]);
        assert_eq!(read.stretches(text, 3).unwrap(), ["ＪＥ", "😀", "ｓｕｉｓ"]);
    }
}
