//! The labels of unknown tokens are the stretches of the text that the offsets of Python's library have. `tests/tokenizer`
//! holds the browser's reader to the same fixture.

use attention_model::tokenizer::Tokenizer;
use attention_trace::text::is_blank;
use serde::Deserialize;
use serde_json::Value;

use crate::fixture::fixtures;

/// What `labels.py` wrote.
#[derive(Deserialize)]
struct Expected {
    texts: Vec<String>,
    tokenizers: Vec<Described>,
}

/// A tokenizer, and of each text the stretches of its unknown tokens.
#[derive(Deserialize)]
struct Described {
    name: String,
    description: Value,
    unknown: Vec<Vec<String>>,
}

/// A label without the marks of its letters, which we keep with them where Python parts them.
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
