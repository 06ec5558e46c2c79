//! The tokenizers in `assets/models` split texts as the `tokenizers` library of Python does, which the models were
//! trained with. `tests/tokenizer` compares the browser's reader with the same fixture.

use std::collections::BTreeMap;
use std::path::PathBuf;

use attention_model::error::ModelError;
use attention_model::tokenizer::Tokenizer;
use attention_trace::text::{is_blank, without_byte_order_mark};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::fixture::fixtures;

/// The contents of the fixture that `tokens.py` wrote.
#[derive(Deserialize)]
struct Expected {
    texts: Vec<String>,
    models: BTreeMap<String, Segmented>,
}

/// The numbers of each text's tokens, and the text decoded from them.
#[derive(Deserialize)]
struct Segmented {
    sha256: String,
    ids: Vec<Vec<u32>>,
    decoded: Vec<String>,
}

fn expected() -> Expected {
    let text = std::fs::read_to_string(fixtures().join("tokens.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Opens the tokenizer of a shipped model, which must be the one that the fixture was made with.
fn shipped(model: &str, segmented: &Segmented) -> Tokenizer {
    let assets = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../assets/models");
    let bytes = std::fs::read(assets.join(model).join("tokenizer.json")).unwrap();
    let sha256: String = Sha256::digest(&bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(
        sha256, segmented.sha256,
        "the tokenizer of {model} changed; run `python tests/fixtures/tokens.py`"
    );
    Tokenizer::from_json(&bytes).unwrap()
}

#[test]
fn every_text_has_the_numbers_that_python_gives_it() {
    let Expected { texts, models } = expected();
    for (model, segmented) in &models {
        let tokenizer = shipped(model, segmented);
        let mut compared = 0;
        for (text, ids) in texts.iter().zip(&segmented.ids) {
            if is_blank(text) {
                let refused = tokenizer.encode(text);
                assert!(matches!(refused, Err(ModelError::EmptyInput)), "{text:?}");
            } else if without_byte_order_mark(text) == text {
                let tokens = tokenizer.encode(text).unwrap();
                let found: Vec<u32> = tokens.iter().map(|token| token.id).collect();
                assert_eq!(&found, ids, "{model}: {text:?}");
                compared += 1;
            }
        }
        assert!(compared > 160, "{model}: {compared} texts");
    }
}

#[test]
fn the_numbers_give_the_text_that_python_gives() {
    for (model, segmented) in &expected().models {
        let tokenizer = shipped(model, segmented);
        for (ids, text) in segmented.ids.iter().zip(&segmented.decoded) {
            assert_eq!(&tokenizer.decode(ids).unwrap(), text, "{model}: {ids:?}");
        }
    }
}
