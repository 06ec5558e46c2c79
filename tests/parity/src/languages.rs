//! Models of many languages read and write the tokens of the chosen ones as those of PyTorch `transformers` do.

use attention_model::checkpoint::Checkpoint;
use attention_model::error::ModelError;
use attention_model::inference::RunOptions;
use attention_trace::{Chosen, Opening, Openings, Quantities, Search, Token};
use burn::prelude::*;
use pollster::block_on;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::files::Files;
use crate::fixture::{fixtures, tiny};

/// A text in a pair of languages.
#[derive(Deserialize)]
struct Case {
    source_language: String,
    target_language: String,
    text: String,
    source: Vec<u32>,
    target: Vec<u32>,
    greedy: Vec<u32>,
    beam: Vec<u32>,
}

fn cases() -> Vec<Case> {
    let json = std::fs::read(fixtures().join("languages.json")).unwrap();
    serde_json::from_slice(&json).unwrap()
}

fn ids(tokens: &[Token]) -> Vec<u32> {
    tokens.iter().map(|token| token.id).collect()
}

fn decoded(checkpoint: &Checkpoint, text: &str, search: Search) -> Vec<u32> {
    decoded_after(checkpoint, text, search, vec![])
}

fn decoded_after(
    checkpoint: &Checkpoint,
    text: &str,
    search: Search,
    prefix: Vec<u32>,
) -> Vec<u32> {
    let options = RunOptions {
        search,
        prefix,
        max_new_tokens: 32,
        quantities: Quantities::NONE,
        edits: vec![],
    };
    let device = Device::flex();
    let run = checkpoint.decode(text, &options, &device, async |_| true);
    block_on(run).unwrap().swap_remove(0).tokens
}

#[test]
fn chosen_languages_are_read_and_written_as_transformers_does() {
    let cases = cases();
    assert!(cases.len() > 1);
    for case in cases {
        let languages = (&*case.source_language, &*case.target_language);
        let checkpoint = tiny("nllb-tiny")
            .with_languages(Some(languages.0), Some(languages.1))
            .unwrap();
        let source = checkpoint.encode_input(&case.text).unwrap();
        assert_eq!(ids(&source), case.source, "{languages:?}");
        let target = checkpoint.encode_target(&case.text).unwrap();
        assert_eq!(ids(&target.tokens), case.target, "{languages:?}");
        let greedy = decoded(&checkpoint, &case.text, Search::Greedy);
        assert_eq!(greedy, case.greedy, "{languages:?}");
        let beam = Search::Beam {
            width: 4,
            length_penalty: 0.75,
        };
        let beam = decoded(&checkpoint, &case.text, beam);
        assert_eq!(beam, case.beam, "{languages:?}");
    }
}

#[test]
fn a_text_names_its_language_and_the_first_token_that_of_its_translation() {
    let checkpoint = tiny("nllb-tiny");
    let openings = checkpoint.openings();
    let named: Vec<&str> = openings.target.iter().map(|it| &*it.language).collect();
    assert_eq!(named, ["eng_Latn", "fra_Latn", "zho_Hans"]);
    for case in cases() {
        let is_source =
            |it: &&Opening| it.chooses == Chosen::Language(case.source_language.clone());
        let opening = openings.source.iter().find(is_source).unwrap();
        let text = format!("{}{}", opening.text, case.text);
        let source = checkpoint.encode_input(&text).unwrap();
        assert_eq!(ids(&source), case.source, "{text}");
        let target = format!("{} {}", case.target_language, case.text);
        assert_eq!(
            ids(&checkpoint.encode_target(&target).unwrap().tokens),
            case.target
        );
        let mut targets = openings.target.iter();
        let first = targets.find(|it| it.language == case.target_language);
        let prefix = vec![first.unwrap().token.id];
        let greedy = decoded_after(&checkpoint, &text, Search::Greedy, prefix);
        assert_eq!(greedy, case.greedy, "{text}");
    }
    let refused = checkpoint.encode_input("fra_Latn ").unwrap_err();
    assert!(matches!(refused, ModelError::EmptyInput), "{refused}");
}

#[test]
fn only_models_with_tokens_of_languages_offer_them() {
    let names: Vec<Openings> = ["m2m-tiny", "bart-tiny", "llama-tiny"]
        .map(|it| tiny(it).openings())
        .into();
    assert_eq!(names[0].source.len(), names[0].target.len());
    assert!(names[0].source.iter().any(|it| it.text == "__zh__ "));
    assert_eq!(names[1..], [Openings::default(), Openings::default()]);
}

#[test]
fn a_target_language_that_no_file_names_is_noted() {
    let free = tiny("nllb-tiny");
    let notes = free.notes().join("\n");
    assert!(
        notes.contains("forced_bos_token_id names no target language"),
        "{notes}"
    );
    assert!(notes.contains("not behind it"), "{notes}");
    let chosen = free.with_languages(None, Some("fra_Latn")).unwrap();
    let notes = chosen.notes().join("\n");
    assert!(!notes.contains("forced_bos_token_id"), "{notes}");
    assert_eq!(tiny("m2m-tiny").notes(), [""; 0]);
}

#[test]
fn a_language_is_named_without_its_underscores_too() {
    for name in ["zh", "__zh__"] {
        let checkpoint = tiny("m2m-tiny").with_languages(Some(name), None).unwrap();
        let source = checkpoint.encode_input("tea").unwrap();
        assert_eq!(source[0].text, "__zh__");
    }
}

#[test]
fn what_is_no_language_is_refused() {
    let refused = |model: &str, name| {
        let refused = tiny(model).with_languages(Some(name), None);
        refused.unwrap_err().to_string()
    };
    assert!(refused("nllb-tiny", "xxx_Latn").contains("`xxx_Latn` is none of its languages"));
    // A piece of the vocabulary.
    assert!(refused("nllb-tiny", "a").contains("`a` is none of its languages"));
    assert!(refused("marian-tiny", "fr").contains("do not begin with the token of a language"));
}

/// Returns the checkpoint with this post-processor in `tokenizer.json`.
fn with_post_processor(post_processor: Value) -> Files {
    let files = Files::read("nllb-tiny");
    let mut tokenizer: Value = serde_json::from_slice(&files.tokenizer).unwrap();
    tokenizer["post_processor"] = post_processor;
    Files {
        tokenizer: serde_json::to_vec(&tokenizer).unwrap(),
        ..files
    }
}

#[test]
fn a_tokenizer_that_names_no_language_asks_for_one() {
    let silent = with_post_processor(Value::Null).load().unwrap();
    let refused = silent.encode_input("tea").unwrap_err().to_string();
    assert!(
        refused.contains("no source language is chosen"),
        "{refused}"
    );
    let chosen = silent.with_languages(Some("eng_Latn"), None).unwrap();
    assert_eq!(chosen.encode_input("tea").unwrap()[0].text, "eng_Latn");
    let other = json!({
        "type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0], "trim_offsets": true, "add_prefix_space": false,
    });
    let refused = with_post_processor(other).load().unwrap_err().to_string();
    assert!(refused.contains("TemplateProcessing"), "{refused}");
}
