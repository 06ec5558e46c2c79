//! Conversations, which the chat template of a model writes.

use std::fs;
use std::path::Path;
use std::process::Output;

use attention_trace::Trace;

use crate::{attn, scratch, text};

/// Traces with more arguments a text by a tiny checkpoint.
fn traced(name: &str, model: &str, more: &[&str]) -> (Output, Vec<String>) {
    let tiny = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny");
    let model = tiny.join(model).display().to_string();
    let out = scratch(name).join("trace.safetensors");
    let path = out.display().to_string();
    let start = [
        "trace",
        "--model",
        &model,
        "--text",
        "the old dog",
        "--max-new-tokens",
        "1",
    ];
    let output = attn(
        &[&start, more, &["--weights-only", "--out", &path]].concat(),
        "",
    );
    let read = match output.status.success() {
        true => {
            Trace::from_safetensors(&fs::read(&out).unwrap())
                .unwrap()
                .meta
                .target
        }
        false => vec![],
    };
    (output, read.into_iter().map(|token| token.text).collect())
}

#[test]
fn a_text_is_made_the_question_of_a_conversation() {
    let (output, read) = traced("chat", "llama-chat", &["--chat", "--system", "we sing"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(read[..2], ["<s>", "<|im_start|>"]);
    let count = |token: &str| read.iter().filter(|it| *it == token).count();
    assert_eq!(
        [count("<s>"), count("<|im_start|>"), count("<|im_end|>")],
        [1, 3, 2]
    );
    assert!(read.concat().contains("sing"), "{read:?}");

    let (_, plain) = traced("chat-plain", "llama-chat", &[]);
    assert_eq!(plain[0], "<s>");
    assert!(!plain.contains(&"<|im_start|>".to_owned()), "{plain:?}");
}

#[test]
fn a_model_without_a_template_says_so() {
    let (output, _) = traced("chat-none", "llama-tiny", &["--chat"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        text(&output.stderr),
        "attn: the model has no chat template: leave out --chat\n"
    );
    let (output, _) = traced("chat-system", "llama-chat", &["--system", "a"]);
    assert_eq!(output.status.code(), Some(2));
}
