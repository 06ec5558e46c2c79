//! The probabilities of a given target equal those of `transformers`, loss included, and those of decoding for the same
//! tokens.

use std::collections::BTreeMap;
use std::path::PathBuf;

use attention_model::checkpoint::Checkpoint;
use attention_model::error::ModelError;
use attention_model::inference::RunOptions;
use attention_trace::{ForcedToken, Quantities, Search};
use burn::prelude::Device;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::fixture::fixtures;

/// The tolerance for logarithms of probabilities, from logits that agree to about 1e-5.
const TOLERANCE: f32 = 1e-4;

/// The values that `forced.py` wrote for a model.
#[derive(Deserialize)]
struct Expected {
    weights_sha256: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    text: String,
    target: String,
    loss: f32,
    tokens: Vec<u32>,
    log_probabilities: Vec<f32>,
    ranks: Vec<usize>,
    best: Vec<u32>,
}

fn directory(model: &str) -> PathBuf {
    let models = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../assets/models");
    models.join(model)
}

fn open(model: &str) -> Checkpoint {
    Checkpoint::open(&directory(model), &Device::flex()).unwrap()
}

fn expected() -> BTreeMap<String, Expected> {
    let text = std::fs::read_to_string(fixtures().join("forced.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn force(
    checkpoint: &Checkpoint,
    text: &str,
    target: &str,
) -> Result<Vec<ForcedToken>, ModelError> {
    pollster::block_on(checkpoint.force(text, target, &[], &Device::flex()))
}

/// Computes the mean of −log p.
fn loss(tokens: &[ForcedToken]) -> f32 {
    let sum: f32 = tokens.iter().map(|token| token.given.log_probability).sum();
    -sum / tokens.len() as f32
}

#[test]
fn forced_targets_have_the_loss_that_transformers_gives_them() {
    for (
        model,
        Expected {
            weights_sha256,
            cases,
        },
    ) in expected()
    {
        let weights = std::fs::read(directory(&model).join("model.safetensors")).unwrap();
        let sha256: String = Sha256::digest(weights)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(
            sha256, weights_sha256,
            "the weights of {model} changed; run `python tests/fixtures/forced.py`"
        );
        let checkpoint = open(&model);
        for case in cases {
            let forced = force(&checkpoint, &case.text, &case.target).unwrap();
            let name = format!("{model}: {} → {}", case.text, case.target);
            let given: Vec<u32> = forced.iter().map(|token| token.given.token.id).collect();
            assert_eq!(given, case.tokens, "{name}");
            let best: Vec<u32> = forced.iter().map(|token| token.best.token.id).collect();
            assert_eq!(best, case.best, "{name}");
            let ranks: Vec<usize> = forced.iter().map(|token| token.rank).collect();
            assert_eq!(ranks, case.ranks, "{name}");
            for (token, expected) in forced.iter().zip(case.log_probabilities) {
                let found = token.given.log_probability;
                assert!(
                    (found - expected).abs() < TOLERANCE,
                    "{name}: {found}, {expected}"
                );
            }
            assert!((loss(&forced) - case.loss).abs() < TOLERANCE, "{name}");
        }
    }
}

#[test]
fn what_the_model_wrote_by_itself_is_forced_at_rank_one_with_the_same_probability() {
    let checkpoint = open("translator");
    let options = RunOptions {
        search: Search::Greedy,
        prefix: vec![],
        max_new_tokens: 40,
        quantities: Quantities::NONE,
        edits: vec![],
    };
    for text in ["Je suis étudiant", "Où est la bibliothèque ?", "我是学生。"] {
        let device = Device::flex();
        let decoded = checkpoint.decode(text, &options, &device, async |_| true);
        let own = pollster::block_on(decoded).unwrap().remove(0);
        let target = checkpoint.tokenizer.decode(&own.tokens).unwrap();
        let forced = force(&checkpoint, text, &target).unwrap();
        let given: Vec<u32> = forced.iter().map(|token| token.given.token.id).collect();
        assert_eq!(given, own.tokens, "{text}");
        assert!(
            forced
                .iter()
                .all(|token| token.rank == 1 && token.best == token.given)
        );
        let sum: f32 = forced.iter().map(|token| token.given.log_probability).sum();
        assert!(
            (sum - own.log_probability).abs() < TOLERANCE,
            "{text}: {sum}"
        );
    }
}

#[test]
fn targets_that_cannot_be_given_are_refused() {
    let translator = open("translator");
    assert!(matches!(
        force(&translator, "Oui", " "),
        Err(ModelError::EmptyInput)
    ));
    assert!(matches!(
        force(&translator, " ", "Yes"),
        Err(ModelError::EmptyInput)
    ));
    let limit = translator.spec().max_tokens.unwrap();
    let long = "yes ".repeat(limit + 1);
    let Err(ModelError::InputTooLong {
        tokens,
        limit: named,
    }) = force(&translator, "Oui", &long)
    else {
        panic!("too long a target");
    };
    assert!(tokens > limit && named == limit);
    let unknown = force(&translator, "Oui", "猿 yes").unwrap();
    assert!(unknown.iter().any(|token| token.given.token.unknown));
}
