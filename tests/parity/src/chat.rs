//! Conversations are read and answered as by `transformers`: `apply_chat_template`, then greedy search.

use attention_chat::{ChatFiles, Date, Role, Turn};
use attention_model::checkpoint::{Checkpoint, CheckpointFiles};
use attention_model::inference::RunOptions;
use attention_trace::{Quantities, Search, Site};
use burn::prelude::Device;
use pollster::block_on;
use serde::Deserialize;

use crate::fixture::fixtures;

/// The texts, tokens and logits that `chat.py` got with `tiny/llama-chat`.
#[derive(Deserialize)]
struct Expected {
    turns: Vec<Turn>,
    text: String,
    ids: Vec<u32>,
    /// The tokens of "the old dog" as a plain text.
    plain_ids: Vec<u32>,
    /// The tokens that greedy search appends.
    written: Vec<u32>,
    /// The logits after the last token of the conversation.
    logits: Vec<f32>,
}

#[derive(Deserialize)]
struct Fixture {
    tiny: Expected,
}

fn expected() -> Expected {
    let text = std::fs::read(fixtures().join("chat.json")).unwrap();
    serde_json::from_slice::<Fixture>(&text).unwrap().tiny
}

fn open() -> Checkpoint {
    Checkpoint::open(&fixtures().join("tiny/llama-chat"), &Device::flex()).unwrap()
}

fn ids(checkpoint: &Checkpoint, text: &str) -> Vec<u32> {
    let tokens = checkpoint.encode_input(text).unwrap();
    tokens.iter().map(|token| token.id).collect()
}

#[test]
fn a_conversation_is_read_and_answered_as_by_transformers() {
    let (checkpoint, expected) = (open(), expected());
    let template = checkpoint.chat.as_ref().unwrap();
    let date = Date::of_unix_seconds(0);
    let text = template.render(&expected.turns, date).unwrap();
    assert_eq!(text, expected.text);
    // The template wrote the token that the post-processor puts in front of other texts.
    assert_eq!(ids(&checkpoint, &text), expected.ids);
    assert_eq!(ids(&checkpoint, "the old dog"), expected.plain_ids);
    let opened = checkpoint.encode_input(&text).unwrap();
    assert_eq!(opened[1].text, "<|im_start|>");
    let pieces = checkpoint.tokenizer.pieces(&opened, &[]);
    assert!(pieces.is_special(&opened[0]) && pieces.is_special(&opened[1]));

    let options = RunOptions {
        search: Search::Greedy,
        prefix: vec![],
        max_new_tokens: expected.written.len(),
        quantities: Quantities::all(),
        edits: vec![],
    };
    let device = Device::flex();
    let trace = block_on(async {
        let sequences = checkpoint.decode(&text, &options, &device, async |_| true);
        let sequences = sequences.await.unwrap();
        checkpoint
            .trace(&text, &sequences, &options, &device)
            .await
            .unwrap()
    });
    let read: Vec<u32> = trace.meta.target.iter().map(|token| token.id).collect();
    let whole = [expected.ids.as_slice(), &expected.written].concat();
    assert_eq!(read, whole[..read.len()]);
    assert!(read.len() >= whole.len() - 1, "{}", read.len());
    let logits = &trace.arrays[&Site::LOGITS];
    let width = expected.logits.len();
    let last = expected.ids.len() - 1;
    let own = &logits.data[last * width..(last + 1) * width];
    let largest = expected
        .logits
        .iter()
        .fold(0.0_f32, |most, it| most.max(it.abs()));
    for (own, expected) in own.iter().zip(&expected.logits) {
        assert!((own - expected).abs() <= 1e-4 * largest, "{own} {expected}");
    }
}

#[test]
fn a_template_that_fails_leaves_the_plain_text() {
    let read = |file: &str| std::fs::read(fixtures().join("tiny/llama-chat").join(file)).unwrap();
    let files = |template: &str| CheckpointFiles {
        config: read("config.json"),
        weights: read("model.safetensors").into(),
        tokenizer: read("tokenizer.json"),
        chat: ChatFiles {
            tokenizer_config: None,
            template: Some(template.as_bytes().to_vec()),
        },
        ..CheckpointFiles::default()
    };
    let turns = [Turn::new(Role::User, "a")];
    for (template, reason) in [
        ("{% for %}", "line 1: syntax error"),
        ("\n{{ raise_exception('No.') }}", "line 2: No."),
    ] {
        let checkpoint = Checkpoint::load(files(template), &Device::flex()).unwrap();
        let chat = checkpoint.chat.as_ref().unwrap();
        let fault = chat.render(&turns, Date::of_unix_seconds(0)).unwrap_err();
        assert!(fault.to_string().contains(reason), "{fault}");
        assert_eq!(ids(&checkpoint, "the old dog"), expected().plain_ids);
    }
    // A template that writes the turn alone has no opening, so that all texts are read as plain ones.
    let bare = Checkpoint::load(files("{{ messages[-1].content }}"), &Device::flex()).unwrap();
    assert_eq!(ids(&bare, "the old dog"), expected().plain_ids);
}
