//! Decoding that reaches the limit of tokens ends as stock `transformers.generate` does: the shipped translator's
//! configuration forces the end of the sentence.

use std::collections::BTreeMap;
use std::path::PathBuf;

use attention_model::checkpoint::Checkpoint;
use attention_model::decoding::Sequence;
use attention_model::error::ModelError;
use attention_model::inference::RunOptions;
use attention_trace::{Quantities, Search};
use burn::prelude::Device;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::fixture::{Hypothesis, fixtures};

/// The tolerance for scores, sums of a few logarithms.
const SCORE_TOLERANCE: f32 = 1e-4;

/// The contents of the fixture that `limit.py` wrote.
#[derive(Deserialize)]
struct Expected {
    beam_width: usize,
    length_penalty: f32,
    models: BTreeMap<String, Decoded>,
}

#[derive(Deserialize)]
struct Decoded {
    weights_sha256: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    text: String,
    limit: usize,
    greedy: Vec<u32>,
    beam: Vec<Hypothesis>,
}

fn expected() -> Expected {
    let text = std::fs::read_to_string(fixtures().join("limit.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Opens the shipped model, which must be the one that the fixture was made with.
fn shipped(model: &str, decoded: &Decoded) -> Checkpoint {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../assets/models");
    let directory = directory.join(model);
    let weights = std::fs::read(directory.join("model.safetensors")).unwrap();
    let sha256: String = Sha256::digest(weights)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(
        sha256, decoded.weights_sha256,
        "the weights of {model} changed; run `python tests/fixtures/limit.py`"
    );
    Checkpoint::open(&directory, &Device::flex()).unwrap()
}

fn decode(
    checkpoint: &Checkpoint,
    text: &str,
    search: Search,
    prefix: Vec<u32>,
    max_new_tokens: usize,
) -> Result<Vec<Sequence>, ModelError> {
    let options = RunOptions {
        search,
        prefix,
        max_new_tokens,
        quantities: Quantities::NONE,
        edits: vec![],
    };
    let device = Device::flex();
    pollster::block_on(checkpoint.decode(text, &options, &device, async |_| true))
}

#[test]
fn every_search_ends_at_the_limit_as_stock_generate_does() {
    let expected = expected();
    let beam = Search::Beam {
        width: expected.beam_width,
        length_penalty: expected.length_penalty,
    };
    for (model, decoded) in &expected.models {
        let checkpoint = shipped(model, decoded);
        for Case {
            text,
            limit,
            greedy,
            beam: hypotheses,
        } in &decoded.cases
        {
            let found = decode(&checkpoint, text, Search::Greedy, vec![], *limit).unwrap();
            assert_eq!(&found[0].tokens, greedy, "{model}, greedy, {limit}: {text}");
            let found = decode(&checkpoint, text, beam, vec![], *limit).unwrap();
            let tokens: Vec<_> = found.iter().map(|sequence| &sequence.tokens).collect();
            let wanted: Vec<_> = hypotheses.iter().map(|found| &found.tokens).collect();
            assert_eq!(tokens, wanted, "{model}, beam, {limit}: {text}");
            for (found, wanted) in found.iter().zip(hypotheses) {
                let difference = (found.score - wanted.score).abs();
                assert!(
                    difference <= SCORE_TOLERANCE,
                    "{model}, {limit}: {text}: {difference}"
                );
            }
        }
    }
}

/// Tokens that the caller forces are kept, up to the last one.
#[test]
fn a_forced_prefix_is_not_ended() {
    let expected = expected();
    let decoded = &expected.models["translator"];
    let checkpoint = shipped("translator", decoded);
    let longest = decoded.cases.iter().max_by_key(|case| case.limit).unwrap();
    let prefix = longest.greedy[..3].to_vec();
    for (room, last) in [(3, prefix[2]), (4, 1)] {
        let found = decode(
            &checkpoint,
            &longest.text,
            Search::Greedy,
            prefix.clone(),
            room,
        );
        let tokens = found.unwrap().remove(0).tokens;
        assert_eq!(tokens.len(), room);
        assert_eq!(tokens[..3], prefix);
        assert_eq!(tokens[room - 1], last);
    }
}

#[test]
fn a_forced_token_that_the_model_does_not_have_is_refused() {
    let expected = expected();
    for (model, decoded) in &expected.models {
        let checkpoint = shipped(model, decoded);
        let rows = checkpoint.spec().vocabulary;
        for token in [rows as u32, 999_999, u32::MAX] {
            let refused = decode(&checkpoint, "Oui", Search::Greedy, vec![token], 4);
            let Err(ModelError::ForcedToken {
                token: named,
                vocabulary,
            }) = refused
            else {
                panic!("{model}: {token} gave {refused:?}");
            };
            assert_eq!((named, vocabulary), (token, rows));
        }
    }
}
