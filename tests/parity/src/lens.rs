//! The logit lens and direct attribution: numbers that equal PyTorch's, and sums that equal the logit in every model.

mod changes;

use std::collections::BTreeMap;
use std::path::PathBuf;

use attention_model::checkpoint::Checkpoint;
use attention_model::decoding::Sequence;
use attention_model::error::ModelError;
use attention_model::inference::RunOptions;
use attention_trace::{
    AttentionLayer, Attribution, Edit, Lens, Part, Quantities, Reading, Search, Site, Wanted,
};
use burn::prelude::Device;
use pollster::block_on;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::fixture::{BERTS, GRUS, UNIVERSALS, fixtures, tiny, writers};

const TOLERANCE: f32 = 1e-4;

/// The contents of the fixture that `lens.py` wrote.
#[derive(Deserialize)]
struct Expected {
    words: usize,
    weights_sha256: BTreeMap<String, String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    model: String,
    text: String,
    source: Vec<u32>,
    target: Vec<u32>,
    answers: Vec<u32>,
    layers: Vec<Layer>,
    attribution: Vec<Shares>,
}

/// The readings of a layer, position by position.
#[derive(Deserialize)]
struct Layer {
    words: Vec<Vec<u32>>,
    probabilities: Vec<Vec<f32>>,
    rank: Vec<usize>,
    probability: Vec<f32>,
}

#[derive(Deserialize)]
struct Shares {
    #[serde(flatten)]
    wanted: Wanted,
    logit: f32,
    parts: Vec<String>,
    values: Vec<f32>,
}

fn shipped(model: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../assets/models")
        .join(model)
}

/// Opens a tiny checkpoint, or a shipped one, whose weights must be those of the fixture.
fn checkpoint(expected: &Expected, model: &str) -> Checkpoint {
    let Some(sha256) = expected.weights_sha256.get(model) else {
        return tiny(model);
    };
    let weights = std::fs::read(shipped(model).join("model.safetensors")).unwrap();
    let digest = Sha256::digest(weights);
    let found: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(
        &found, sha256,
        "the weights of {model} have changed: run lens.py"
    );
    Checkpoint::open(&shipped(model), &Device::flex()).unwrap()
}

/// Returns the tokens that a decoder reads after the start token, and the token after them; nothing for a prompt alone.
fn written(tokens: &[u32]) -> Vec<Sequence> {
    let sequence = Sequence {
        tokens: tokens.to_vec(),
        log_probability: 0.0,
        score: 0.0,
    };
    (!tokens.is_empty())
        .then_some(sequence)
        .into_iter()
        .collect()
}

fn compare_reading(found: &Reading, layer: &Layer, position: usize, name: &str) {
    let probabilities = &layer.probabilities[position];
    assert_eq!(found.words.len(), probabilities.len(), "{name}");
    for (place, word) in found.words.iter().enumerate() {
        let difference = (word.probability - probabilities[place]).abs();
        assert!(difference < TOLERANCE, "{name}, word {place}: {difference}");
        // Words that are as probable may change places.
        let own = layer.words[position]
            .iter()
            .position(|&id| id == word.token.id);
        let theirs = own.map_or(probabilities[probabilities.len() - 1], |at| {
            probabilities[at]
        });
        let apart = (theirs - probabilities[place]).abs();
        assert!(
            own == Some(place) || apart < TOLERANCE,
            "{name}, word {place}"
        );
    }
    let difference = (found.probability - layer.probability[position]).abs();
    assert!(difference < TOLERANCE, "{name}: {difference}");
    // Of thousands of logits two may be the same but for rounding.
    assert!(
        found.rank.abs_diff(layer.rank[position]) <= 1,
        "{name}: rank"
    );
}

fn compare_attribution(found: &Attribution, expected: &Shares, name: &str) -> f32 {
    let parts: Vec<String> = found
        .shares
        .iter()
        .map(|share| share.part.to_string())
        .collect();
    assert_eq!(parts, expected.parts, "{name}");
    let apart = found.shares.iter().zip(&expected.values);
    let largest = apart.fold(0.0_f32, |largest, (share, value)| {
        let difference = (share.value - value).abs();
        assert!(
            difference < TOLERANCE,
            "{name}, {}: {difference}",
            share.part
        );
        largest.max(difference)
    });
    assert!((found.logit - expected.logit).abs() < TOLERANCE, "{name}");
    largest
}

#[test]
fn lens_and_attribution_equal_those_of_pytorch() {
    let expected = std::fs::read(fixtures().join("lens.json")).unwrap();
    let expected: Expected = serde_json::from_slice(&expected).unwrap();
    let device = Device::flex();
    let (mut readings, mut largest) = (0, 0.0_f32);
    for case in &expected.cases {
        let name = &case.model;
        let model = checkpoint(&expected, name);
        let tokens = model.encode_input(&case.text).unwrap();
        let ids: Vec<u32> = tokens.iter().map(|token| token.id).collect();
        assert_eq!(ids, case.source, "{name}");
        let sequences = written(&case.target);
        let lens = model.lens(&case.text, &sequences, expected.words, &[], &device);
        let Lens { answers, layers } = block_on(lens).unwrap();
        let answers: Vec<u32> = answers.iter().map(|token| token.id).collect();
        assert_eq!(answers, case.answers, "{name}");
        assert_eq!(layers.len(), case.layers.len(), "{name}");
        for (number, (found, layer)) in layers.iter().zip(&case.layers).enumerate() {
            assert_eq!(found.len(), layer.rank.len(), "{name}");
            for (position, reading) in found.iter().enumerate() {
                let name = format!("{name}, layer {number}, position {position}");
                compare_reading(reading, layer, position, &name);
                readings += 1;
            }
        }
        for shares in &case.attribution {
            let found = model.attribute(&case.text, &sequences, shares.wanted, &[], &device);
            let name = format!("{name}, {:?}", shares.wanted);
            largest = largest.max(compare_attribution(
                &block_on(found).unwrap(),
                shares,
                &name,
            ));
        }
    }
    println!("{readings} readings; shares differ by at most {largest:.1e}");
}

/// Returns a few tokens that a model writes after a text, and the number of rows of its logits.
fn run(model: &Checkpoint, text: &str) -> (Vec<Sequence>, usize) {
    run_to(model, text, 6)
}

fn run_to(model: &Checkpoint, text: &str, max_new_tokens: usize) -> (Vec<Sequence>, usize) {
    let device = Device::flex();
    let options = RunOptions {
        search: Search::Greedy,
        prefix: vec![],
        max_new_tokens,
        quantities: Quantities::NONE,
        edits: vec![],
    };
    let found = block_on(model.decode(text, &options, &device, async |_| true)).unwrap();
    let trace = block_on(model.trace(text, &found, &options, &device)).unwrap();
    (found, trace.meta.target.len())
}

/// Returns the largest difference between a logit and the sum of its parts, over some rows of a text and pairs of
/// tokens.
fn largest_gap(model: &Checkpoint, text: &str, edits: &[Edit]) -> f32 {
    let device = Device::flex();
    let (sequences, rows) = run(model, text);
    let vocabulary = model.spec().vocabulary as u32;
    let mut largest = 0.0_f32;
    for row in [0, rows / 2, rows - 1] {
        for (token, against) in [
            (0, None),
            (vocabulary - 1, Some(1)),
            (3, Some(vocabulary / 2)),
        ] {
            let wanted = Wanted {
                row,
                token,
                against,
            };
            let found = model.attribute(text, &sequences, wanted, edits, &device);
            let found = block_on(found).unwrap();
            largest = largest.max((found.sum() - found.logit).abs());
        }
    }
    largest
}

#[test]
fn the_parts_of_every_tiny_model_sum_to_the_logit() {
    let models = writers().map(|name| (name, tiny(name)));
    for (name, model) in models.filter(|(_, model)| model.spec().has_attribution()) {
        let gap = largest_gap(&model, "she says that the red boat sails", &[]);
        assert!(gap < TOLERANCE, "{name}: {gap}");
    }
}

/// A model with soft-capped logits.
const CAPPED: &str = "gemma2";

#[test]
fn soft_capped_logits_are_no_sum() {
    let (model, device) = (tiny(CAPPED), Device::flex());
    let wanted = Wanted {
        row: 0,
        token: 3,
        against: None,
    };
    let parts = block_on(model.attribute("the red boat", &[], wanted, &[], &device));
    let refused = parts.unwrap_err().to_string();
    assert!(refused.contains("soft-capped"), "{refused}");
    // The logit of a pass without a head is one all the same.
    let attention: AttentionLayer = "decoder.1.self".to_owned().try_into().unwrap();
    let head = (attention, 2);
    let without = model.logit_without("the red boat", &[], wanted, head, &[], &device);
    let cap = model.spec().logit_cap.unwrap();
    assert!(block_on(without).unwrap().abs() < cap);
}

/// A recurrent model has no residual stream to read.
#[test]
fn a_recurrent_model_is_refused() {
    for name in GRUS {
        let (model, device) = (tiny(name), Device::flex());
        let (sequences, _) = run(&model, "the red boat");
        let wanted = Wanted {
            row: 0,
            token: 3,
            against: None,
        };
        let lens = block_on(model.lens("the red boat", &sequences, 3, &[], &device));
        let parts = block_on(model.attribute("the red boat", &sequences, wanted, &[], &device));
        assert!(matches!(lens, Err(ModelError::Unsupported(_))), "{name}");
        assert!(matches!(parts, Err(ModelError::Unsupported(_))), "{name}");
    }
}

/// A model whose depths add signals has no parts, and one whose positions halt has no residual stream either.
#[test]
fn a_universal_transformer_has_no_parts() {
    for name in UNIVERSALS {
        let (model, device) = (tiny(name), Device::flex());
        let (sequences, _) = run(&model, "the red boat");
        let wanted = Wanted {
            row: 0,
            token: 3,
            against: None,
        };
        let parts = block_on(model.attribute("the red boat", &sequences, wanted, &[], &device));
        assert!(matches!(parts, Err(ModelError::Unsupported(_))), "{name}");
        let lens = block_on(model.lens("the red boat", &sequences, 3, &[], &device));
        let is_refused = matches!(lens, Err(ModelError::Unsupported(_)));
        assert_eq!(is_refused, model.spec().halting().is_some(), "{name}");
    }
}

#[test]
fn the_parts_of_every_shipped_model_sum_to_the_logit() {
    let ways = ["none", "learned", "sinusoidal", "t5", "rope", "alibi"];
    let letters = ways.map(|way| (format!("positions/{way}"), "abcdefgh"));
    let verses = ways.map(|way| (format!("poems/{way}"), "床前明月光"));
    let larger = [
        ("translator".to_owned(), "Je suis étudiant."),
        ("from-english".to_owned(), ">>fra<< I am a student."),
        ("sentences".to_owned(), "I don't know what"),
    ];
    for (name, text) in letters.into_iter().chain(verses).chain(larger) {
        let model = Checkpoint::open(&shipped(&name), &Device::flex()).unwrap();
        let gap = largest_gap(&model, text, &[]);
        assert!(gap < TOLERANCE, "{name}: {gap}");
    }
}

/// A head that is off adds nothing, and the other parts still sum to the logit.
#[test]
fn the_parts_of_an_edited_pass_sum_to_its_logit() {
    for (name, attention) in [
        ("marian-tiny", "decoder.0.cross"),
        ("llama-gqa", "decoder.1.self"),
        ("t5-v1_0", "decoder.0.cross"),
    ] {
        let (model, text) = (tiny(name), "the red boat");
        let attention: AttentionLayer = attention.to_owned().try_into().unwrap();
        let off = Edit::ScaleHead {
            attention,
            head: 1,
            factor: 0.0,
        };
        assert!(
            largest_gap(&model, text, std::slice::from_ref(&off)) < TOLERANCE,
            "{name}"
        );
        let (sequences, _) = run(&model, text);
        let wanted = Wanted {
            row: 0,
            token: 5,
            against: None,
        };
        let device = Device::flex();
        let share = |edits: &[Edit]| {
            let found = model.attribute(text, &sequences, wanted, edits, &device);
            block_on(found).unwrap()
        };
        let part = Part::Head { attention, head: 1 };
        let edited = share(std::slice::from_ref(&off));
        assert_eq!(edited.of(part), Some(0.0), "{name}");
        assert_ne!(share(&[]).of(part), Some(0.0), "{name}");
        let without = model.logit_without(text, &sequences, wanted, (attention, 1), &[], &device);
        assert_eq!(block_on(without).unwrap(), edited.logit, "{name}");
    }
}

#[test]
fn what_has_no_such_sum_is_refused() {
    let device = Device::flex();
    let wanted = Wanted {
        row: 0,
        token: 1,
        against: None,
    };
    let text = "the red boat";
    let bert = tiny(BERTS[0]);
    let refused = block_on(bert.attribute(text, &[], wanted, &[], &device));
    assert!(matches!(refused, Err(ModelError::Unsupported(_))));
    let llama = tiny("llama-tiny");
    let ask = |wanted| block_on(llama.attribute(text, &[], wanted, &[], &device));
    let far = Wanted { row: 999, ..wanted };
    assert!(matches!(ask(far), Err(ModelError::Unsupported(_))));
    let unknown = Wanted {
        against: Some(999_999),
        ..wanted
    };
    assert!(matches!(
        ask(unknown),
        Err(ModelError::ForcedToken { token: 999_999, .. })
    ));
}

/// The lens of a long text is read piece by piece, and the last layer's reading equals the prediction of the pass.
#[test]
fn the_last_layer_is_what_the_model_predicts_however_long_the_text() {
    let (model, device) = (tiny("llama-llama3"), Device::flex());
    let text = "she says that the red boat sails ".repeat(12);
    let lens = block_on(model.lens(&text, &[], 1, &[], &device)).unwrap();
    let sites = std::collections::BTreeSet::from([Site::LOGITS]);
    let arrays = block_on(model.arrays(&text, &[], &sites, &[], &device)).unwrap();
    let logits = &arrays[&Site::LOGITS];
    assert!(logits.shape[0] > 64 && lens.answers.len() == logits.shape[0]);
    for (row, reading) in lens.layers.last().unwrap().iter().enumerate() {
        let largest = logits
            .row(&[row])
            .unwrap()
            .iter()
            .copied()
            .fold(f32::MIN, f32::max);
        let own = logits.row(&[row]).unwrap()[reading.words[0].token.id as usize];
        assert!((own - largest).abs() < TOLERANCE && reading.rank == 1);
    }
}
