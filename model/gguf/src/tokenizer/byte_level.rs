//! Byte-pair encoding of bytes, as GPT-2 has it: `tokenizer.ggml.model` is `gpt2`.

use serde_json::{Map, Value, json};

use super::Vocabulary;
use crate::architecture::Architecture;
use crate::error::{GgufError, shown};
use crate::file::Gguf;

/// The key of the merges, best first.
const MERGES: &str = "tokenizer.ggml.merges";
/// The key of the way in which a text is cut before pairs are merged.
const PRE: &str = "tokenizer.ggml.pre";
/// The key of a space in front of the text.
const SPACE: &str = "tokenizer.ggml.add_space_prefix";

/// A digit or another character of a number. The published tokenizers have `Digits`, which the browser's library understands
/// as the digits 0 to 9 alone.
const DIGIT: &str = r"\p{N}";
/// Llama 3's pattern: contractions, words with a character in front, up to three digits, punctuation, white space.
const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
/// Qwen2's pattern: as Llama 3's, with single digits.
const QWEN2: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
/// The pattern of GPT-4o's tokenizer, which Phi-4-mini has: as Tekken's, with contractions behind a word and up to three digits.
const O200K: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
/// The pattern of Mistral's Tekken: words are cut where capitals follow small letters, and digits are single.
const TEKKEN: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// A way of cutting a text before pairs are merged, with its companions in the tokenizers that use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pre {
    /// GPT-2's own pattern, and nothing else.
    Gpt2,
    /// Single digits, then GPT-2's pattern.
    Digits,
    /// GPT-2's pattern, after NFC: GPT-NeoX, Pythia and the first OLMo.
    GptNeoX,
    /// Llama 3's pattern; a text begins with a token, and a word that is a token is never cut.
    Llama3,
    /// The same, and a text begins with no token: SmolLM3.
    Smaug,
    /// Llama 3's pattern alone, which was GPT-4's before: OLMo 2 and Phi-4.
    Dbrx,
    /// The pattern of GPT-4o: Phi-4-mini.
    Gpt4o,
    /// Qwen2's pattern, after NFC.
    Qwen2,
    /// Tekken's pattern; a text begins with a token, and a word that is a token is never cut.
    Tekken,
}

impl Pre {
    /// The names in files and the ways that they stand for.
    const NAMES: [(&str, Pre); 14] = [
        ("gpt-2", Pre::Gpt2),
        ("smollm", Pre::Digits),
        ("starcoder", Pre::Digits),
        ("refact", Pre::Digits),
        ("llama-bpe", Pre::Llama3),
        ("llama3", Pre::Llama3),
        ("llama-v3", Pre::Llama3),
        ("olmo", Pre::GptNeoX),
        ("mpt", Pre::GptNeoX),
        ("smaug-bpe", Pre::Smaug),
        ("dbrx", Pre::Dbrx),
        ("gpt-4o", Pre::Gpt4o),
        ("qwen2", Pre::Qwen2),
        ("tekken", Pre::Tekken),
    ];

    /// Returns the way that the metadata name. Files that name none are as old as that key; only GPT-2's are certain.
    fn of(file: &Gguf<'_>) -> Result<Self, GgufError> {
        let named = file.header.metadata.text(PRE)?.unwrap_or("default");
        if named == "default" && file.architecture == Architecture::Gpt2 {
            return Ok(Pre::Gpt2);
        }
        let found = Pre::NAMES.iter().find(|(name, _)| *name == named);
        found.map(|(_, pre)| *pre).ok_or_else(|| {
            let names = Pre::NAMES.map(|(name, _)| name).join(", ");
            GgufError::value(PRE, named, format!("is not implemented; {names} are"))
        })
    }

    fn normalizer(self) -> Value {
        match self {
            Pre::Qwen2 | Pre::GptNeoX => json!({"type": "NFC"}),
            _ => Value::Null,
        }
    }

    fn pre_tokenizer(self) -> Value {
        let bytes = |use_regex: bool| json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": use_regex});
        let (regex, then) = match self {
            Pre::Gpt2 | Pre::GptNeoX => return bytes(true),
            Pre::Digits => (DIGIT, true),
            Pre::Llama3 | Pre::Smaug | Pre::Dbrx => (LLAMA3, false),
            Pre::Gpt4o => (O200K, false),
            Pre::Qwen2 => (QWEN2, false),
            Pre::Tekken => (TEKKEN, false),
        };
        json!({"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Isolated", "invert": false},
            bytes(then),
        ]})
    }

    /// Returns true for tokenizers whose texts begin with a token, unless the file says otherwise.
    fn starts(self) -> bool {
        matches!(self, Pre::Llama3 | Pre::Tekken)
    }

    /// Returns true for tokenizers whose words that are tokens are never cut.
    fn keeps_words(self) -> bool {
        matches!(self, Pre::Llama3 | Pre::Smaug | Pre::Tekken)
    }
}

/// Returns the parts of `tokenizer.json` that are this kind's own, and true if a text usually begins with a token.
pub fn parts(
    file: &Gguf<'_>,
    vocabulary: &Vocabulary<'_>,
) -> Result<(Map<String, Value>, bool), GgufError> {
    let pre = Pre::of(file)?;
    if file.header.metadata.boolean(SPACE)? == Some(true) {
        let fault = "is not implemented for byte-level tokenizers; false is";
        return Err(GgufError::value(SPACE, true, fault));
    }
    let decoder = json!({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true});
    let model = json!({
        "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
        "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false,
        "ignore_merges": pre.keeps_words(), "vocab": vocabulary.vocab(), "merges": merges(file, vocabulary)?,
    });
    let mut parts = Map::new();
    for (name, part) in [
        ("normalizer", pre.normalizer()),
        ("pre_tokenizer", pre.pre_tokenizer()),
        ("decoder", decoder),
        ("model", model),
    ] {
        parts.insert(name.to_owned(), part);
    }
    Ok((parts, pre.starts()))
}

/// Returns the merges as the file has them, two tokens with a space between: no token has one.
fn merges(file: &Gguf<'_>, vocabulary: &Vocabulary<'_>) -> Result<Value, GgufError> {
    let merges = file.header.metadata.texts(MERGES)?;
    let merges = merges.ok_or_else(|| GgufError::missing(MERGES))?;
    let is_token = |piece: &str| vocabulary.ids.contains_key(piece);
    let mut both = String::new();
    let mut checked = |merge: &str| {
        let (first, second) = merge.split_once(' ')?;
        both.clear();
        both.push_str(first);
        both.push_str(second);
        (is_token(first) && is_token(second) && is_token(&both)).then(|| Value::from(merge))
    };
    let merges = merges.iter().map(|merge| {
        checked(merge).ok_or_else(|| {
            let fault = "is not two tokens that make a third";
            GgufError::value(MERGES, format!("{:?}", shown(merge)), fault)
        })
    });
    merges.collect::<Result<Vec<_>, _>>().map(Value::Array)
}
