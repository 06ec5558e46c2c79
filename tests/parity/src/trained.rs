//! The weights in `assets/models` give the numbers that `transformers` gives with them.

use std::path::PathBuf;

use attention_model::checkpoint::Checkpoint;
use attention_trace::{Array, Quantities};
use burn::prelude::Device;
use sha2::{Digest, Sha256};

use crate::decoding;
use crate::fixture::{Description, Fixture};
use crate::run::{Input, run};
use crate::transformers::Differences;

fn assets() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../assets/models")
}

/// Compares a model with the numbers of `trained.py`, which has inputs for every shipped model.
fn compare(model: &str) {
    let fixture = Fixture::<Description>::read(&format!("trained/{model}.safetensors"));
    let expected = &fixture.description;
    let directory = assets().join(model);
    let weights = std::fs::read(directory.join("model.safetensors")).unwrap();
    let sha256: String = Sha256::digest(weights)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(
        Some(&sha256),
        expected.weights_sha256.as_ref(),
        "the weights of {model} are not those the expected numbers were computed with; \
         run `python tests/fixtures/trained.py`"
    );
    let checkpoint = Checkpoint::open(&directory, &Device::flex()).unwrap();
    let mut differences = Differences::default();
    for case in &expected.cases {
        compare_tokens(
            &checkpoint,
            case.text.as_deref().unwrap(),
            &case.source,
            &case.target,
        );
        let input = Input {
            source: case.source.clone(),
            target: case.target.clone(),
            ..Input::default()
        };
        let outcome = run(&checkpoint, &input, Quantities::all());
        for (name, array) in fixture.case(&case.name) {
            let found = match name {
                "logits" => &every(expected.stride.unwrap(), &outcome.logits),
                "log_normalizer" => &log_normalizer(&outcome.logits),
                name => outcome.array(name),
            };
            differences.compare(&format!("{model}/{}/{name}", case.name), found, array);
        }
    }
    differences.report(model, &["logits", "attention weights"]);
    decoding::compare(&checkpoint, model, expected);
}

/// Checks that the text is split into the tokens that the reference read.
fn compare_tokens(checkpoint: &Checkpoint, text: &str, source: &[u32], target: &[u32]) {
    let tokens = checkpoint.tokenizer.encode(text).unwrap();
    let ids: Vec<u32> = tokens.iter().map(|token| token.id).collect();
    match checkpoint.spec().reads_source() {
        true => assert_eq!(ids, source, "{text}"),
        false => assert!(target.starts_with(&ids), "{text}"),
    }
}

/// Returns every `stride`-th number of each row.
fn every(stride: usize, logits: &Array) -> Array {
    let rows = logits.data.chunks(logits.shape[1]);
    Array {
        shape: vec![logits.shape[0], logits.shape[1].div_ceil(stride)],
        data: rows
            .flat_map(|row| row.iter().step_by(stride).copied())
            .collect(),
    }
}

/// Computes `log Σ exp` of each row.
fn log_normalizer(logits: &Array) -> Array {
    let sum = |row: &[f32]| row.iter().map(|logit| f64::from(*logit).exp()).sum::<f64>();
    Array {
        shape: vec![logits.shape[0]],
        data: logits
            .data
            .chunks(logits.shape[1])
            .map(|row| sum(row).ln() as f32)
            .collect(),
    }
}

#[test]
fn every_shipped_model_equals_transformers() {
    let mut models: Vec<String> = std::fs::read_dir(assets())
        .unwrap()
        .map(|entry| entry.unwrap())
        // A model without words, or without feed-forward networks, is compared by itself.
        .filter(|entry| entry.path().join("tokenizer.json").exists())
        .map(|entry| entry.file_name().into_string().unwrap())
        .filter(|model| model != "induction")
        .collect();
    assert!(models.iter().any(|model| model == "translator"));
    // Of the six in `positions`, the one that is a Llama as others have it.
    models.push("positions/rope".to_owned());
    for model in models {
        compare(&model);
    }
}
