//! Byte-pair encoding of characters with scores, as SentencePiece has it: `tokenizer.ggml.model` is `llama`.

use serde_json::{Map, Value, json};

use super::{Kind, Vocabulary, check_length};
use crate::error::GgufError;
use crate::file::Gguf;
use crate::header::Value as Entry;

/// The key of the tokens' scores; the pair whose token has the highest is merged first.
const SCORES: &str = "tokenizer.ggml.scores";
/// The key of a space in front of the text.
const SPACE: &str = "tokenizer.ggml.add_space_prefix";
/// Keys of ways of normalising a text, which are not implemented for this kind.
const REFUSED: [&str; 2] = [
    "tokenizer.ggml.remove_extra_whitespaces",
    "tokenizer.ggml.precompiled_charsmap",
];

/// Returns the parts of `tokenizer.json` that are this kind's own.
pub fn parts(
    file: &Gguf<'_>,
    vocabulary: &Vocabulary<'_>,
) -> Result<Map<String, Value>, GgufError> {
    let metadata = &file.header.metadata;
    for key in REFUSED {
        if metadata
            .get(key)
            .is_some_and(|value| *value != Entry::Boolean(false))
        {
            return Err(GgufError::value(key, "a value", "is not implemented here"));
        }
    }
    let has_space = metadata.boolean(SPACE)?.unwrap_or(true);
    let spaces = json!({"type": "Replace", "pattern": {"String": " "}, "content": "▁"});
    let normalizer = match has_space {
        true => {
            json!({"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}, spaces]})
        }
        false => spaces,
    };
    let mut decoders = vec![
        json!({"type": "Replace", "pattern": {"String": "▁"}, "content": " "}),
        json!({"type": "ByteFallback"}),
        json!({"type": "Fuse"}),
    ];
    if has_space {
        decoders.push(json!({"type": "Strip", "content": " ", "start": 1, "stop": 0}));
    }
    let unknown = vocabulary
        .kinds
        .iter()
        .position(|kind| *kind == Kind::Unknown);
    let model = json!({
        "type": "BPE", "dropout": null, "unk_token": unknown.map(|id| vocabulary.tokens[id]),
        "continuing_subword_prefix": null, "end_of_word_suffix": null, "fuse_unk": true, "byte_fallback": true,
        "ignore_merges": false, "vocab": vocabulary.vocab(), "merges": merges(&scores(file, vocabulary)?, vocabulary),
    });
    let mut parts = Map::new();
    for (name, part) in [
        ("normalizer", normalizer),
        ("pre_tokenizer", Value::Null),
        ("decoder", json!({"type": "Sequence", "decoders": decoders})),
        ("model", model),
    ] {
        parts.insert(name.to_owned(), part);
    }
    Ok(parts)
}

fn scores(file: &Gguf<'_>, vocabulary: &Vocabulary<'_>) -> Result<Vec<f64>, GgufError> {
    let scores = file.header.metadata.scalars(SCORES)?;
    let scores = scores.ok_or_else(|| GgufError::missing(SCORES))?;
    check_length(SCORES, scores.iter().len(), vocabulary.tokens.len())?;
    let scores = scores.iter().map(|score| match score {
        Entry::Real(score) if score.is_finite() => Ok(score),
        other => Err(GgufError::value(SCORES, other, "is not a finite number")),
    });
    scores.collect()
}

/// A pair of tokens that make a third.
struct Pair<'a> {
    tokens: [&'a str; 2],
    ids: [usize; 2],
    /// The score of the third.
    score: f64,
    /// The lengths of both in characters.
    lengths: [usize; 2],
}

/// Returns all pairs of tokens that make a token, best first. Pairs that make the same one have its score; the order
/// among them is that of `transformers`, the longest first token in front.
fn merges(scores: &[f64], vocabulary: &Vocabulary<'_>) -> Value {
    let mut pairs: Vec<Pair<'_>> = vec![];
    for (&token, &score) in vocabulary.tokens.iter().zip(scores) {
        let mut own = pairs_of(token, score, vocabulary);
        own.sort_by_key(|pair| pair.ids);
        pairs.extend(own);
    }
    pairs.sort_by(|a, b| {
        // Scores are finite.
        let by_score = b.score.partial_cmp(&a.score);
        by_score
            .unwrap_or(std::cmp::Ordering::Equal)
            .then_with(|| b.lengths.cmp(&a.lengths))
    });
    pairs.iter().map(|pair| json!(pair.tokens)).collect()
}

fn pairs_of<'a>(token: &'a str, score: f64, vocabulary: &Vocabulary<'_>) -> Vec<Pair<'a>> {
    let length = token.chars().count();
    let places = token.char_indices().enumerate().skip(1);
    let pairs = places.filter_map(|(before, (at, _))| {
        let (first, second) = token.split_at(at);
        let ids = [*vocabulary.ids.get(first)?, *vocabulary.ids.get(second)?];
        Some(Pair {
            tokens: [first, second],
            ids,
            score,
            lengths: [before, length - before],
        })
    });
    pairs.collect()
}
