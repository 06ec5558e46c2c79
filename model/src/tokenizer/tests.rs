use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};
use tokenizers::Tokenizer as Reference;

use super::*;

fn shipped(model: &str) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/models");
    std::fs::read(root.join(model).join("tokenizer.json")).unwrap()
}

/// Ids and texts by the `tokenizers` library.
fn expected(reference: &Reference, text: &str) -> Vec<u32> {
    let encoding = reference.encode_char_offsets(text.trim(), true).unwrap();
    encoding.get_ids().to_vec()
}

fn ids(tokens: &[Token]) -> Vec<u32> {
    tokens.iter().map(|token| token.id).collect()
}

fn agree(bytes: &[u8], text: &str) {
    let (ours, reference) = (
        Tokenizer::from_json(bytes).unwrap(),
        Reference::from_bytes(bytes).unwrap(),
    );
    let tokens = ours.encode(text).unwrap();
    assert_eq!(ids(&tokens), expected(&reference, text), "{text:?}");
    let decoded = ours.decode(&ids(&tokens)).unwrap();
    assert_eq!(
        decoded,
        reference.decode(&ids(&tokens), true).unwrap(),
        "{text:?}"
    );
    assert_eq!(ours.vocabulary(), reference.get_vocab_size(true));
}

const TEXTS: [&str; 14] = [
    "Je suis étudiant.",
    "Je suis e\u{301}tudiant.",
    "我是学生。你喜欢这本书吗？",
    "l’ami, l'ami — « oui » !",
    "  a   b  ",
    "▁a ▁▁ b▁",
    "x</s>y <unk> </s></s>",
    "</s>",
    "ﬁne ① ｆｕｌｌ　ｗｉｄｔｈ ㍿ ½",
    "Je suis 🎓👩🏽‍🚀",
    "tab\tand\nnewline\u{a0}nbsp",
    "각 가\u{11a8} \u{1100}\u{1161}",
    "a\u{323}\u{307} q\u{307}\u{323}",
    "🙂🙂 x 🙂",
];

#[test]
fn both_shipped_tokenizers_are_those_of_the_library() {
    for model in ["translator", "sentences"] {
        let bytes = shipped(model);
        for text in TEXTS {
            agree(&bytes, text);
        }
    }
}

#[test]
fn an_unknown_token_shows_the_characters_it_stands_for() {
    let bytes = shipped("translator");
    let (ours, reference) = (
        Tokenizer::from_json(&bytes).unwrap(),
        Reference::from_bytes(&bytes).unwrap(),
    );
    for text in TEXTS {
        let text = text.trim();
        let characters: Vec<char> = text.chars().collect();
        let encoding = reference.encode_char_offsets(text, true).unwrap();
        let unknown = reference.token_to_id("<unk>").unwrap();
        let offsets = encoding.get_ids().iter().zip(encoding.get_offsets());
        let wanted: Vec<String> = offsets
            .filter(|(id, _)| **id == unknown)
            .map(|(_, &(start, end))| characters[start..end].iter().collect())
            .collect();
        let tokens = ours.encode(text).unwrap();
        let found = tokens.into_iter().filter(|token| token.unknown);
        let found: Vec<String> = found.map(|token| token.text).collect();
        // Of characters that were composed, the library names only the first.
        assert_eq!(found.len(), wanted.len(), "{text:?}");
        for (found, wanted) in found.iter().zip(&wanted) {
            assert!(
                found.starts_with(wanted.as_str()),
                "{text:?}: {found} {wanted}"
            );
        }
    }
    let tokens = ours.encode("x \u{1100}\u{1161} 🎓👩🏽‍🚀").unwrap();
    let unknown = tokens.iter().filter(|token| token.unknown);
    let unknown: Vec<&str> = unknown.map(|token| token.text.as_str()).collect();
    assert_eq!(unknown, ["\u{1100}\u{1161}", "🎓👩🏽‍🚀"]);
}

#[test]
fn nothing_is_an_empty_input() {
    let tokenizer = Tokenizer::from_json(&shipped("translator")).unwrap();
    for nothing in ["", "   ", "\u{3000}\n"] {
        assert!(matches!(
            tokenizer.encode(nothing),
            Err(ModelError::EmptyInput)
        ));
    }
}

#[test]
fn whole_words_are_tokens_too() {
    let file = json!({
        "added_tokens": [], "normalizer": null, "post_processor": null, "decoder": null,
        "pre_tokenizer": { "type": "WhitespaceSplit" },
        "model": {
            "type": "WordLevel", "unk_token": "<unk>",
            "vocab": { "<unk>": 0, "w1": 1, "w2": 2 }
        }
    });
    let bytes = serde_json::to_vec(&file).unwrap();
    for text in ["w1 w2", "w2\tw1  w3", "w1w2", "<unk> w1"] {
        agree(&bytes, text);
    }
}

#[test]
fn what_is_not_implemented_is_refused_by_name() {
    let mut file: Value = serde_json::from_slice(&shipped("translator")).unwrap();
    let refused = |file: &Value| {
        let error = Tokenizer::from_json(&serde_json::to_vec(file).unwrap());
        error.unwrap_err().to_string()
    };
    let whole = file.clone();
    file["pre_tokenizer"] = json!({ "type": "ByteLevel" });
    assert!(refused(&file).contains("ByteLevel"));
    file = whole.clone();
    file["model"]["byte_fallback"] = json!(true);
    assert!(refused(&file).contains("byte_fallback"));
    file = whole.clone();
    file["normalizer"]["normalizers"][1]["pattern"] = json!({ "Regex": "a+" });
    assert!(refused(&file).contains("Regex"));
    file = whole;
    file["model"]["vocab"]["x"] = json!(u32::MAX);
    assert!(refused(&file).contains("number"));
    assert!(Tokenizer::from_json(b"{").is_err());
}

fn texts() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "Je",
        " ",
        "  ",
        "suis",
        "étudiant",
        "e\u{301}",
        "我",
        "是",
        "学生",
        "▁",
        "’",
        "'",
        ".",
        "…",
        "</s>",
        "<unk>",
        "</",
        "🙂",
        "ﬁ",
        "①",
        "\t",
        "the",
        "ing",
        "\u{11a8}",
        "가",
        "！",
    ]);
    prop_oneof![
        "\\PC{1,40}",
        prop::collection::vec(words, 1..20).prop_map(|words| words.concat()),
    ]
}

proptest! {
    #[test]
    fn any_text_becomes_the_tokens_of_the_library(text in texts()) {
        prop_assume!(!text.trim().is_empty());
        thread_local! {
            static BOTH: (Tokenizer, Reference) = {
                let bytes = shipped("translator");
                (Tokenizer::from_json(&bytes).unwrap(), Reference::from_bytes(&bytes).unwrap())
            };
        }
        BOTH.with(|(ours, reference)| {
            let tokens = ours.encode(&text).unwrap();
            prop_assert_eq!(ids(&tokens), expected(reference, &text));
            Ok(())
        })?;
    }
}
