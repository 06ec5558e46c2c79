//! Tokens on the command line: how they are named, and how they are shown.

use std::fs;
use std::path::Path;

use attention_trace::Trace;
use serde_json::json;

use crate::{attn, model, scratch, text};

fn tiny(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny");
    root.join(name).display().to_string()
}

#[test]
fn a_token_is_named_by_its_piece_or_by_its_number_after_a_sign() {
    let lens = |token: &str| {
        let translator = model("translator");
        let source = ["--text", "J'ai 7 chats.", "--target", "I have 7 cats."];
        let base = ["lens", "--model", &translator, "--token", token];
        attn(&[&base[..], &source].concat(), "")
    };
    let named = |token: &str| {
        let output = lens(token);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let printed = text(&output.stdout);
        let line = printed.lines().find(|line| line.contains("logit of “"));
        line.unwrap().to_owned()
    };
    assert!(named("7").contains("logit of “7”"));
    assert!(!named("#7").contains("logit of “7”"));
    assert!(named("▁the").contains("logit of “▁the”"));
    for (token, said) in [
        ("#9999999", "there is no token #9999999"),
        ("9999999", "token number 9999999 is #9999999"),
        ("nothing of the kind", "the tokenizer has no token"),
    ] {
        let output = lens(token);
        assert_eq!(output.status.code(), Some(1));
        assert!(
            text(&output.stderr).contains(said),
            "{}",
            text(&output.stderr)
        );
    }
}

/// The tiny GPT-2 with a tokenizer that has letters for a few bytes beyond ASCII, and 你 and 。 in several pieces.
fn of_bytes(name: &str) -> String {
    let directory = scratch(name);
    for file in ["config.json", "model.safetensors"] {
        fs::copy(
            Path::new(&tiny("gpt2-tiny")).join(file),
            directory.join(file),
        )
        .unwrap();
    }
    let letters = "ĠTomnaveÃ¯ä½łå¥ãĢĤ(".chars().map(String::from);
    let merged = ["ĠT", "ĠTo", "ĠTom", "Ã¯", "ä½", "å¥", "å¥½", "ãĢ", "ãĢĤ"];
    let merges = merged.map(|piece| {
        let (at, _) = piece.char_indices().next_back().unwrap();
        format!("{} {}", &piece[..at], &piece[at..])
    });
    let special = ["<|unused|>", "<|endoftext|>"].map(str::to_owned);
    let pieces = special
        .into_iter()
        .chain(letters)
        .chain(merged.map(str::to_owned));
    let vocabulary: serde_json::Map<_, _> = pieces
        .zip(0..)
        .map(|(piece, id)| (piece, id.into()))
        .collect();
    let bytes = json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true});
    let tokenizer = json!({
        "version": "1.0",
        "added_tokens": [],
        "normalizer": null,
        "pre_tokenizer": bytes,
        "post_processor": null,
        "decoder": bytes,
        "model": {"type": "BPE", "vocab": vocabulary, "merges": merges},
    });
    fs::write(directory.join("tokenizer.json"), tokenizer.to_string()).unwrap();
    directory.display().to_string()
}

#[test]
fn pieces_of_bytes_are_shown_as_characters() {
    let directory = of_bytes("bytes");
    let path = Path::new(&directory).join("trace.safetensors");
    let out = path.display().to_string();
    let read = |given: &str| -> Vec<String> {
        let arguments = [
            "trace",
            "--model",
            &directory,
            "--text",
            given,
            "--max-new-tokens",
            "1",
            "--out",
            &out,
        ];
        let output = attn(&arguments, "");
        assert!(output.status.success(), "{}", text(&output.stderr));
        let trace = Trace::from_safetensors(&fs::read(&path).unwrap()).unwrap();
        let mut tokens = trace.meta.target;
        let written = trace
            .decoding
            .map_or(0, |decoding| decoding.hypotheses[0].tokens.len());
        tokens.truncate(tokens.len() + 1 - written.max(1));
        tokens.into_iter().map(|token| token.text).collect()
    };
    assert_eq!(
        read("naïve 你好。"),
        [
            "n",
            "a",
            "ï",
            "v",
            "e",
            "▁",
            "<0xE4><0xBD>",
            "<0xA0>",
            "好",
            "。"
        ]
    );
    assert_eq!(read(" Tom"), ["▁Tom"]);
    assert_eq!(read("\u{feff} Tom"), ["▁Tom"]);
}

#[test]
fn punctuation_in_bytes_is_seen() {
    let directory = of_bytes("punctuation");
    let sentences = Path::new(&directory).join("sentences.tsv");
    let out = Path::new(&directory).join("roles.json");
    fs::write(&sentences, "你。好。\nTom ( no (\n").unwrap();
    let (sentences, out) = (sentences.display().to_string(), out.display().to_string());
    let output = attn(
        &[
            "roles",
            "--model",
            &directory,
            "--sentences",
            &sentences,
            "--out",
            &out,
        ],
        "",
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    assert!(printed.contains("punctuation: "), "{printed}");
}
