//! The shipped model of pictures gives the numbers that PyTorch gives with its weights.

use std::path::PathBuf;

use attention_model::image::DigitReader;
use attention_trace::Array;
use attention_trace::lessons::{LabelledPicture, SeenPicture};
use burn::prelude::Device;
use safetensors::SafeTensors;

use crate::fixture::{assert_made_with, expected, fixtures};

const TOLERANCE: f32 = 1e-4;

fn shipped(name: &str) -> Vec<u8> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../assets/models/digits");
    std::fs::read(root.join(name)).unwrap()
}

fn pictures() -> Vec<LabelledPicture> {
    serde_json::from_slice(&shipped("pictures.json")).unwrap()
}

fn seen(pictures: &[LabelledPicture]) -> Vec<SeenPicture> {
    let (config, weights) = (shipped("config.json"), shipped("model.safetensors"));
    let model = DigitReader::load(&config, &weights, &Device::flex()).unwrap();
    let see = |one: &LabelledPicture| model.see(&one.picture).unwrap();
    pictures.iter().map(see).collect()
}

#[test]
fn the_model_of_pictures_equals_pytorch() {
    let bytes = std::fs::read(fixtures().join("digits.safetensors")).unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let weights = shipped("model.safetensors");
    assert_made_with(&bytes, "sha256", &weights, "digits.py");
    let pictures = pictures();
    let seen = seen(&pictures);
    let compare = |name: &str, of: fn(&SeenPicture) -> &[f32]| {
        let found: Vec<f32> = seen.iter().flat_map(|seen| of(seen).to_vec()).collect();
        let expected = expected(&file, name);
        assert_eq!(found.len(), expected.len(), "{name}");
        let differences = found.iter().zip(&expected).map(|(a, b)| (a - b).abs());
        let largest = differences.fold(0.0, f32::max);
        println!("digits: {name} differ by at most {largest:.1e}");
        assert!(largest < TOLERANCE, "{name}: {largest}");
    };
    fn numbers(array: &Array) -> &[f32] {
        &array.data
    }
    compare("weights", |seen| numbers(&seen.weights));
    compare("lengths", |seen| &seen.lengths);
    compare("added", |seen| &seen.added);
    compare("logits", |seen| &seen.logits);
    compare("logits_without", |seen| &seen.logits_without);
}

#[test]
fn two_pictures_of_every_digit_are_shipped_and_attention_has_a_part_in_them() {
    let pictures = pictures();
    let digits: Vec<u8> = pictures.iter().map(|one| one.digit).collect();
    let twice: Vec<u8> = (0..10).flat_map(|digit| [digit, digit]).collect();
    assert_eq!(digits, twice);
    // The last 360 of 1,797 are the test set.
    assert!(pictures.iter().all(|one| (1437..1797).contains(&one.place)));
    let seen = seen(&pictures);
    assert!(seen.iter().all(|seen| seen.gamma != 0.0));
    assert!(seen.iter().all(|seen| seen.logits != seen.logits_without));
}

/// The scores in the chapter and in the model's README are those that training wrote.
#[test]
fn the_scores_that_are_told_are_those_of_the_training() {
    let config: serde_json::Value = serde_json::from_slice(&shipped("config.json")).unwrap();
    let training = &config["training"];
    let tested = training["test_pictures"].as_f64().unwrap();
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let chapters =
        ["en", "zh"].map(|language| format!("app/chapters/src/image/{language}/text.md"));
    let gamma = format!("{:.3}", seen(&pictures()[..1])[0].gamma);
    for path in &chapters {
        assert!(read(path).contains(&gamma), "{path}: γ is {gamma}");
    }
    let readme = "assets/models/digits/README.md".to_owned();
    for path in chapters.iter().chain([&readme]) {
        for score in ["test_accuracy", "test_accuracy_without_attention"] {
            let share = training[score].as_f64().unwrap();
            let right = (share * tested).round();
            // Chinese has no space before the sign.
            let line = |line: &str| {
                line.contains(&right.to_string())
                    && line
                        .replace(" %", "%")
                        .contains(&format!("{:.1}%", 100.0 * share))
            };
            assert!(read(path).lines().any(line), "{path}: {right} of {tested}");
        }
    }
}
