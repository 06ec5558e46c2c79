//! The shipped models that embed a sentence give the numbers that PyTorch gives with their weights.

use std::path::PathBuf;

use attention_model::embedding::SentenceReader;
use attention_trace::lessons::{EmbeddedSentence, Mark};
use burn::prelude::Device;
use safetensors::SafeTensors;
use serde_json::Value;

use crate::fixture::{assert_made_with, expected, fixtures};

const TOLERANCE: f32 = 1e-4;
const MODELS: [&str; 2] = ["penalised", "free"];

/// The sentences of the fixture of `marks.py`.
const SENTENCES: [&str; 6] = [
    "Where did you buy this book?",
    "Do you like music?",
    "I don't know where he lives.",
    "What a beautiful day it is!",
    "Please, open the zyzzyva.",
    "Run!",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn shipped(model: &str, name: &str) -> Vec<u8> {
    let directory = root().join("assets/models/marks").join(model);
    std::fs::read(directory.join(name)).unwrap()
}

fn reader(model: &str) -> SentenceReader {
    let (config, weights) = (
        shipped(model, "config.json"),
        shipped(model, "model.safetensors"),
    );
    SentenceReader::load(&config, &weights, &Device::flex()).unwrap()
}

fn seen(model: &str) -> Vec<EmbeddedSentence> {
    let reader = reader(model);
    let see = |sentence: &&str| reader.see(sentence, &[]).unwrap();
    SENTENCES.iter().map(see).collect()
}

#[test]
fn the_models_that_embed_a_sentence_equal_pytorch() {
    let bytes = std::fs::read(fixtures().join("marks.safetensors")).unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    for model in MODELS {
        let weights = shipped(model, "model.safetensors");
        assert_made_with(&bytes, model, &weights, "marks.py");
        for (place, seen) in seen(model).iter().enumerate() {
            for (kind, found) in [
                ("weights", &seen.weights.data),
                ("overlap", &seen.overlap.data),
                ("logits", &seen.logits),
            ] {
                let name = format!("{model}.{place}.{kind}");
                let expected = expected(&file, &name);
                assert_eq!(found.len(), expected.len(), "{name}");
                let differences = found.iter().zip(&expected).map(|(a, b)| (a - b).abs());
                let largest = differences.fold(0.0, f32::max);
                println!("marks: {name} differ by at most {largest:.1e}");
                assert!(largest < TOLERANCE, "{name}: {largest}");
            }
        }
    }
}

/// The chapter's claims about its examples hold.
#[test]
fn questions_are_told_by_their_words() {
    let seen = seen("penalised");
    let likeliest = |seen: &EmbeddedSentence| {
        let marks = Mark::ALL.into_iter().zip(&seen.probabilities);
        marks
            .max_by(|one, other| one.1.total_cmp(other.1))
            .unwrap()
            .0
    };
    let marks: Vec<Mark> = seen.iter().take(3).map(likeliest).collect();
    assert_eq!(marks, [Mark::Question, Mark::Question, Mark::Period]);
    assert!(!seen[4].words.last().unwrap().known);
}

/// The chapter's claims about its own sentence.
#[test]
fn without_the_penalty_all_hops_look_at_did_and_with_it_at_four_words() {
    let looks = |model: &str| -> Vec<usize> {
        let seen = &seen(model)[0];
        let rows = seen.weights.data.chunks(seen.words.len());
        let most = |row: &[f32]| row.iter().position(|&weight| weight > 0.5).unwrap();
        rows.map(most).collect()
    };
    assert_eq!(looks("free"), [1; 4]);
    let mut apart = looks("penalised");
    apart.sort_unstable();
    apart.dedup();
    assert_eq!(apart.len(), 4);
}

/// The scores in the chapter and in the models' README are those that training wrote.
#[test]
fn the_scores_that_are_told_are_those_of_the_training() {
    let mut told = vec!["assets/models/marks/README.md".to_owned()];
    told.extend(["en", "zh"].map(|it| format!("app/chapters/src/embedding/{it}/text.md")));
    for model in MODELS {
        let config: Value = serde_json::from_slice(&shipped(model, "config.json")).unwrap();
        let scores = &config["training"]["scores"];
        let percent = |name: &str| format!("{:.1} %", 100.0 * scores[name].as_f64().unwrap());
        let number = |name: &str| format!("{:.2}", scores[name].as_f64().unwrap());
        let mut numbers = vec![
            percent("accuracy"),
            percent("majority"),
            percent("first_word"),
            number("penalty"),
            number("overlap"),
            number("largest_weight"),
        ];
        for mark in scores["marks"].as_array().unwrap() {
            numbers.push(format!("{} / {}", mark["right"], mark["sentences"]));
        }
        for path in &told {
            // Chinese has no space before the sign.
            let text = std::fs::read_to_string(root().join(path)).unwrap();
            let text = text.replace(" %", "%");
            for number in &numbers {
                let number = number.replace(" %", "%");
                assert!(text.contains(&number), "{path}: {model}: {number}");
            }
        }
    }
}
