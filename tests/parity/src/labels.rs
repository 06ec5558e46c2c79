//! The labels of unknown tokens are the stretches of the text given by the offsets of Python's library.
//! `tests/tokenizer` compares the browser's reader with the same fixture.

use attention_model::tokenizer::Tokenizer;
use attention_trace::text::is_blank;
use serde::Deserialize;
use serde_json::Value;

use crate::fixture::fixtures;

/// The contents of the fixture that `labels.py` wrote.
#[derive(Deserialize)]
struct Expected {
    texts: Vec<String>,
    tokenizers: Vec<Described>,
}

/// A tokenizer, and the stretches of unknown tokens for each text.
#[derive(Deserialize)]
struct Described {
    name: String,
    description: Value,
    unknown: Vec<Vec<String>>,
}

/// Removes the marks of letters from a label; we keep them with their letters, and Python separates them.
fn bare(label: &str) -> String {
    let is_mark = |character: &char| ('\u{300}'..='\u{36f}').contains(character);
    label
        .chars()
        .filter(|character| !is_mark(character))
        .collect()
}

#[test]
fn unknown_tokens_are_labelled_with_the_stretch_they_stand_for() {
    let text = std::fs::read_to_string(fixtures().join("labels.json")).unwrap();
    let Expected { texts, tokenizers } = serde_json::from_str(&text).unwrap();
    let mut compared = 0;
    for Described {
        name,
        description,
        unknown,
    } in tokenizers
    {
        let tokenizer = Tokenizer::from_json(description.to_string().as_bytes()).unwrap();
        for (text, expected) in texts
            .iter()
            .zip(unknown)
            .filter(|(text, _)| !is_blank(text))
        {
            let tokens = tokenizer.encode(text).unwrap();
            let labels = tokens.iter().filter(|token| token.unknown);
            let labels: Vec<String> = labels.map(|token| bare(&token.text)).collect();
            assert_eq!(labels.len(), expected.len(), "{name}: {text:?}");
            for (label, expected) in labels
                .iter()
                .zip(expected)
                .filter(|(_, expected)| !bare(expected).is_empty())
            {
                assert_eq!(*label, bare(&expected), "{name}: {text:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 900, "{compared}");
}
