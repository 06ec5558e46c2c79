//! Broken checkpoints are refused with helpful messages, and never cause a panic.

mod config;
mod damaged;
mod weights;

use std::sync::LazyLock;

use attention_model::error::ModelError;

use crate::files::Files;

static MARIAN: LazyLock<Files> = LazyLock::new(|| Files::read("marian-tiny"));
static BART: LazyLock<Files> = LazyLock::new(|| Files::read("bart-tiny"));
static NLLB: LazyLock<Files> = LazyLock::new(|| Files::read("nllb-tiny"));
static ROBERTA: LazyLock<Files> = LazyLock::new(|| Files::read("roberta-tiny"));
static DISTILBERT: LazyLock<Files> = LazyLock::new(|| Files::read("distilbert-tiny"));
static LLAMA: LazyLock<Files> = LazyLock::new(|| Files::read("llama-tiny"));
static GEMMA: LazyLock<Files> = LazyLock::new(|| Files::read("gemma2"));
static PHI3: LazyLock<Files> = LazyLock::new(|| Files::read("phi3"));
static GPT2: LazyLock<Files> = LazyLock::new(|| Files::read("gpt2-tiny"));
static T5: LazyLock<Files> = LazyLock::new(|| Files::read("t5-v1_1"));
static BERT: LazyLock<Files> = LazyLock::new(|| Files::read("bert-tiny"));
static MODERNBERT: LazyLock<Files> = LazyLock::new(|| Files::read("modernbert-tiny"));
static GRU: LazyLock<Files> = LazyLock::new(|| Files::read("gru-bahdanau"));
static UNIVERSAL: LazyLock<Files> = LazyLock::new(|| Files::read("universal-act"));

/// Returns the message of a refusal, which must be of the right kind.
fn refusal(files: Files, kind: fn(&ModelError) -> bool) -> String {
    let error = files.load().expect_err("a broken checkpoint was accepted");
    assert!(kind(&error), "{error:?}");
    error.to_string()
}

fn is_weights(error: &ModelError) -> bool {
    matches!(error, ModelError::Weights(_))
}

fn is_unsupported(error: &ModelError) -> bool {
    matches!(error, ModelError::Unsupported(_) | ModelError::Sizes(_))
}

fn is_config(error: &ModelError) -> bool {
    matches!(error, ModelError::Config(_) | ModelError::Field { .. })
}

fn is_tokenizer(error: &ModelError) -> bool {
    matches!(error, ModelError::Tokenizer(_))
}

fn assert_says(message: &str, words: &[&str]) {
    for word in words {
        assert!(message.contains(word), "`{word}` is not in: {message}");
    }
}
