//! The card of a model.

use std::path::Path;

use serde_json::Value;

use crate::{attn, text};

fn inspected(name: &str, options: &[&str]) -> String {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny");
    let path = fixtures.join(name).display().to_string();
    let output = attn(&[&["inspect", &path][..], options].concat(), "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn a_card_says_what_a_file_holds() {
    let printed = inspected("gguf-llama/model.gguf", &[]);
    for expected in [
        "family         llama",
        "layers 2, heads 4, heads of keys and values 2, width of a head 16, feed-forward 64, gated",
        "vocabulary     330",
        "stored as      Q4_1",
        "outside the layers",
        "blk.0 to blk.1, each",
        "token_embd.weight",
        "Q8_0   330 × 32",
        "attn_q.weight",
        "Q4_1   64 × 32",
    ] {
        assert!(printed.contains(expected), "{expected} in:\n{printed}");
    }
    assert!(!printed.contains("not used"), "{printed}");
}

#[test]
fn the_card_as_json_has_every_tensor() {
    let json: Value =
        serde_json::from_str(&inspected("gguf-llama/model.gguf", &["--json"])).unwrap();
    // The table and the last norm, and nine tensors of each layer.
    assert_eq!(json["tensors"].as_array().unwrap().len(), 2 + 2 * 9);
    assert_eq!(json["spec"]["model_type"], "llama");
    let weights: u64 = json["tensors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tensor| {
            let sizes = tensor["shape"].as_array().unwrap().iter();
            sizes.map(|size| size.as_u64().unwrap()).product::<u64>()
        })
        .sum();
    assert_eq!(json["parameters"].as_u64(), Some(weights));
    let loaded = json["loaded_bytes"].as_u64().unwrap();
    assert!((weights / 2..4 * weights).contains(&loaded), "{loaded}");
}

#[test]
fn what_a_model_does_not_use_and_what_it_lacks_are_named() {
    let classifier = inspected("bert-classifier", &[]);
    assert!(classifier.contains("\nNot used: "), "{classifier}");
    assert!(classifier.contains("classifier.weight"), "{classifier}");
    // The causal mask, which is computed here.
    assert!(inspected("gpt2-tiny", &[]).contains("\nNot used: h.0.attn.bias, h.1.attn.bias\n"));
    for name in [
        "llama-gqa",
        "phi3",
        "gguf-phi3/model.gguf",
        "gguf-sentencepiece/model.gguf",
        "t5-v1_1",
        "marian-tiny",
        "modernbert-tiny",
        "gru-dot",
        "universal-act",
    ] {
        let printed = inspected(name, &[]);
        assert!(!printed.contains("Not used"), "{name}:\n{printed}");
    }
}
