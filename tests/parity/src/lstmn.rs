//! The shipped LSTMN gives the numbers that PyTorch gives with its weights.

use std::path::PathBuf;

use attention_model::lstmn::TapeReader;
use attention_trace::lessons::TapeReading;
use burn::prelude::Device;
use safetensors::SafeTensors;
use serde_json::Value;

use crate::fixture::{assert_made_with, expected, fixtures};

const TOLERANCE: f32 = 1e-5;

/// Of probabilities, which are divided by a sum over the whole vocabulary.
const OF_PROBABILITIES: f32 = 1e-4;

/// The sentences of the fixture of `lstmn.py`.
const SENTENCES: [&str; 4] = [
    "The FBI is chasing a criminal on the run .",
    "If you don't hurry, you will miss the train.",
    "Where is the zyzzyva?",
    "Run!",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn shipped(name: &str) -> Vec<u8> {
    std::fs::read(root().join("assets/models/lstmn").join(name)).unwrap()
}

fn reader() -> TapeReader {
    TapeReader::load(
        &shipped("config.json"),
        &shipped("model.safetensors"),
        &Device::flex(),
    )
    .unwrap()
}

fn close(name: &str, found: &[f32], expected: &[f32], tolerance: f32) {
    assert_eq!(found.len(), expected.len(), "{name}");
    let differences = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
    let largest = differences.fold(0.0, f32::max);
    println!("lstmn: {name} differ by at most {largest:.1e}");
    assert!(largest < tolerance, "{name}: {largest}");
}

#[test]
fn the_lstmn_equals_pytorch() {
    let bytes = std::fs::read(fixtures().join("lstmn.safetensors")).unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let weights = shipped("model.safetensors");
    assert_made_with(&bytes, "model", &weights, "lstmn.py");
    let reader = reader();
    for (place, sentence) in SENTENCES.iter().enumerate() {
        let read = reader.read(sentence).unwrap();
        let probabilities = read.next.iter().flat_map(|next| &next.likeliest);
        let probabilities: Vec<f32> = probabilities.map(|word| word.probability).collect();
        for (kind, found, tolerance) in [
            ("hidden", &read.hidden.data, TOLERANCE),
            ("memory", &read.memory.data, TOLERANCE),
            ("weights", &read.weights.data, TOLERANCE),
            ("probabilities", &probabilities, OF_PROBABILITIES),
        ] {
            let name = format!("{place}.{kind}");
            close(&name, found, &expected(&file, &name), tolerance);
        }
    }
}

/// The chapter says which words of the paper's sentence are not known, and that earlier ones have weight.
#[test]
fn words_before_the_last_have_weight() {
    let read: TapeReading = reader().read(SENTENCES[0]).unwrap();
    let unknown = read.words.iter().filter(|word| !word.known);
    let unknown: Vec<&str> = unknown.map(|word| word.text.as_str()).collect();
    assert_eq!(unknown, ["chasing"]);
    let steps = 2..read.words.len();
    let earlier = steps.filter(|&step| read.strongest(step).unwrap().0 + 1 < step);
    assert!(earlier.count() > 0);
}

/// The scores in the chapter and in the model's README are those that training wrote.
#[test]
fn the_scores_that_are_told_are_those_of_the_training() {
    let config = |name: &str| -> Value { serde_json::from_slice(&shipped(name)).unwrap() };
    let (tapes, plain) = (config("config.json"), config("plain.json"));
    let grouped = |number: &Value| {
        let number = number.as_u64().unwrap();
        format!("{},{:03}", number / 1000, number % 1000)
    };
    let perplexity = |training: &Value| {
        let perplexity = training["scores"]["perplexity"].as_f64();
        format!("{:.1}", perplexity.unwrap())
    };
    let (tapes, plain) = (&tapes["training"], &plain["training"]);
    assert_eq!(tapes["seed"], plain["seed"]);
    assert_eq!(tapes["epochs"], plain["epochs"]);
    assert_eq!(tapes["sentences"], plain["sentences"]);
    let numbers = [
        grouped(&tapes["parameters"]),
        grouped(&tapes["sentences"]),
        grouped(&tapes["scores"]["sentences"]),
        perplexity(tapes),
        perplexity(plain),
        format!(
            "{:.0} %",
            100.0 * tapes["scores"]["weight_of_last"].as_f64().unwrap()
        ),
    ];
    let mut told = vec!["assets/models/lstmn/README.md".to_owned()];
    told.extend(["en", "zh"].map(|it| format!("app/chapters/src/embedding/{it}/text.md")));
    for path in &told {
        // Chinese has no space before the sign.
        let text = std::fs::read_to_string(root().join(path)).unwrap();
        let text = text.replace(" %", "%");
        for number in &numbers {
            assert!(
                text.contains(&number.replace(" %", "%")),
                "{path}: {number}"
            );
        }
    }
}
