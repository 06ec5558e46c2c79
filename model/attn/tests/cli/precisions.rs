//! Two files of one model, compared head by head.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{attn, model, scratch, text};

/// The largest error of a share of weight, a probability or a divergence.
const TOLERANCE: f64 = 1e-4;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures")
}

/// The path of the model that the fixtures name.
fn file(name: &str) -> String {
    let name = match name {
        "bf16" => name.to_owned(),
        encoding => format!("{encoding}.gguf"),
    };
    let path = fixtures().join("precisions").join(name);
    path.display().to_string()
}

fn numbers(value: &Value, name: &str) -> Vec<f64> {
    let rows = value.as_array().unwrap().iter();
    rows.map(|row| row[name].as_f64().unwrap()).collect()
}

fn ids(tokens: &Value) -> Vec<u64> {
    let tokens = tokens.as_array().unwrap().iter();
    tokens.map(|token| token["id"].as_u64().unwrap()).collect()
}

fn assert_near(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!(
            (found - expected).abs() <= tolerance,
            "{what} {at}: {found}, not {expected}"
        );
    }
}

#[test]
fn two_precisions_differ_as_transformers_says() {
    let expected = fs::read(fixtures().join("precisions.json")).unwrap();
    let expected: Value = serde_json::from_slice(&expected).unwrap();
    for pair in expected["pairs"].as_array().unwrap() {
        let names = [0, 1].map(|place| file(pair["models"][place].as_str().unwrap()));
        let json = scratch("precisions").join("differences.json");
        let path = json.display().to_string();
        let options = [
            "--text",
            expected["text"].as_str().unwrap(),
            "--json",
            &path,
        ];
        let output = attn(
            &[&["compare", &names[0], &names[1]][..], &options].concat(),
            "",
        );
        assert!(output.status.success(), "{}", text(&output.stderr));
        let found: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
        let tokens = pair["tokens"].as_array().unwrap().iter();
        let tokens: Vec<u64> = tokens.map(|id| id.as_u64().unwrap()).collect();
        assert_eq!(ids(&found["target"]), tokens);
        for (place, written) in pair["continuations"].as_array().unwrap().iter().enumerate() {
            let written = written.as_array().unwrap().iter();
            let written: Vec<u64> = written.map(|id| id.as_u64().unwrap()).collect();
            assert_eq!(ids(&found["continuations"][place]), written);
        }
        let named = |rows: &Value| -> Vec<String> {
            let rows = rows.as_array().unwrap().iter();
            rows.map(|row| format!("{} {} {}", row["attention"], row["head"], row["query"]))
                .collect()
        };
        assert_eq!(named(&found["heads"]), named(&pair["heads"]));
        for name in ["mean", "largest"] {
            let both = [&found, pair].map(|side| numbers(&side["heads"], name));
            assert_near(&both[0], &both[1], TOLERANCE, name);
        }
        let of_logits = TOLERANCE * pair["largest_logit"].as_f64().unwrap();
        for (name, tolerance) in [("largest", of_logits), ("divergence", TOLERANCE)] {
            let both = [&found, pair].map(|side| numbers(&side["logits"], name));
            assert_near(&both[0], &both[1], tolerance, name);
        }
        assert_eq!(found["parting"]["step"], pair["parting"]["step"]);
        let ends = [0, 1].map(|place| found["parting"]["tokens"][place]["id"].clone());
        assert_eq!(Value::from(ends.to_vec()), pair["parting"]["tokens"]);
        for place in [0, 1] {
            let row = |side: &Value| -> Vec<f64> {
                let row = &side["parting"]["probabilities"][place];
                let row = row.as_array().unwrap().iter();
                row.map(|value| value.as_f64().unwrap()).collect()
            };
            assert_near(&row(&found), &row(pair), TOLERANCE, "probability");
        }
        let printed = text(&output.stdout);
        let step = pair["parting"]["step"].as_u64().unwrap() + 1;
        let words = format!("Greedy decoding parts at token {step} of the continuation");
        assert!(printed.contains(&words), "{printed}");
        assert!(printed.contains("decoder.1.self"), "{printed}");
    }
}

#[test]
fn a_file_does_not_differ_from_itself() {
    let name = file("q4_0");
    let output = attn(&["compare", &name, &name, "--text", "the cat"], "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    assert!(
        printed.contains("Greedy decoding writes the same tokens."),
        "{printed}"
    );
    assert!(printed.contains("largest difference 0.0000"), "{printed}");
}

#[test]
fn other_models_are_refused_by_the_field_that_differs() {
    let refused = |other: &str, field: &str| {
        let output = attn(&["compare", &file("q8_0"), other, "--text", "abc"], "");
        assert_eq!(output.status.code(), Some(1));
        let said = text(&output.stderr);
        assert!(said.contains("cannot be compared head by head"), "{said}");
        assert!(said.contains(field), "{said}");
    };
    refused(
        &model("positions/rope"),
        "width is 32 in the first model and 64 in the second",
    );
    let grouped = fixtures().join("tiny/gguf-qwen3/model.gguf");
    refused(
        &grouped.display().to_string(),
        "decoder.key_value_heads is 2 in the first model and 1",
    );
    // The same sizes, with the numbers of two pieces exchanged.
    let folder = scratch("other-pieces");
    for name in ["config.json", "model.safetensors"] {
        fs::copy(Path::new(&file("bf16")).join(name), folder.join(name)).unwrap();
    }
    let tokenizer = fs::read(Path::new(&file("bf16")).join("tokenizer.json")).unwrap();
    let mut tokenizer: Value = serde_json::from_slice(&tokenizer).unwrap();
    let pieces = &mut tokenizer["model"]["vocab"];
    let [one, other] = ["x", "y"].map(|piece| pieces[piece].clone());
    (pieces["x"], pieces["y"]) = (other, one.clone());
    fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).unwrap();
    let field = format!("piece {one} of the tokenizer is “x” in the first model and “y”");
    refused(&folder.display().to_string(), &field);
}

#[test]
fn a_comparison_needs_two_files_and_a_text() {
    let name = file("q8_0");
    for options in [
        vec!["compare", &name, "--text", "abc"],
        vec!["compare", &name, &name],
        vec!["compare", "--text", "abc"],
        vec!["compare", &name, &name, "--text", "abc", "--models", "m"],
        vec!["compare", &name, &name, "--text", "abc", "--beam", "4"],
    ] {
        assert_eq!(attn(&options, "").status.code(), Some(2), "{options:?}");
    }
}
