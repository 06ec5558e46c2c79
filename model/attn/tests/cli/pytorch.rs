//! Directories whose weights are PyTorch's.

use std::fs;
use std::path::{Path, PathBuf};

use attention_trace::{Origin, Trace};
use serde_json::{Map, Value, json};

use crate::{attn, scratch, text};

const FILE: &str = "pytorch_model.bin";
const MODEL: &str = "tiny/padded-vocabulary";

fn fixture(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    root.join(name)
}

/// Makes a directory with the tiny model's configuration and tokenizer, and these weights.
fn directory(name: &str, weights: &[(&str, &[u8])]) -> PathBuf {
    let directory = scratch(name);
    for file in ["config.json", "tokenizer.json"] {
        fs::copy(fixture(MODEL).join(file), directory.join(file)).unwrap();
    }
    for (file, bytes) in weights {
        fs::write(directory.join(file), bytes).unwrap();
    }
    directory
}

/// Returns the trace of a text, or the message with which the directory is refused.
fn trace(directory: &Path) -> Result<Trace, String> {
    let model = directory.display().to_string();
    let out = directory.join("trace.safetensors");
    let path = out.display().to_string();
    let arguments = ["--model", &model, "--text", "the old dog", "--out", &path];
    let output = attn(&[&["trace"][..], &arguments].concat(), "");
    match output.status.success() {
        true => Ok(Trace {
            // The folders have different names.
            origin: Origin::default(),
            ..Trace::from_safetensors(&fs::read(&out).unwrap()).unwrap()
        }),
        false => Err(text(&output.stderr)),
    }
}

fn bin(name: &str) -> Vec<u8> {
    fs::read(fixture("pytorch").join(name)).unwrap()
}

#[test]
fn a_directory_with_pytorchs_weights_is_traced() {
    let safetensors = fs::read(fixture(MODEL).join("model.safetensors")).unwrap();
    let expected = trace(&directory(
        "safetensors",
        &[("model.safetensors", &safetensors)],
    ))
    .unwrap();
    let found = trace(&directory("pytorch", &[(FILE, &bin("whole.bin"))])).unwrap();
    assert!(found == expected);
    // Not even opened.
    let both = [
        ("model.safetensors", &safetensors[..]),
        (FILE, &bin("command.bin")),
    ];
    assert!(trace(&directory("both", &both)).unwrap() == expected);
}

#[test]
fn pytorchs_weights_in_parts_are_read_as_one() {
    let whole = bin("whole.bin");
    let expected = trace(&directory("whole", &[(FILE, &whole)])).unwrap();
    let rest = bin("f32.bin");
    let safetensors = fs::read(fixture(MODEL).join("model.safetensors")).unwrap();
    let file = safetensors::SafeTensors::deserialize(&safetensors).unwrap();
    let few = ["model.norm.weight", "model.layers.0.input_layernorm.weight"];
    let part = |name: &str| {
        if few.contains(&name) {
            "part-2.bin"
        } else {
            "part-1.bin"
        }
    };
    let names = file.names().into_iter().chain(["lm_head.weight"]);
    let mut map: Map<String, Value> = names
        .map(|name| (name.to_owned(), part(name).into()))
        .collect();
    let index = |map: &Map<String, Value>| json!({"weight_map": map}).to_string();
    let parts = |index: &str| {
        let index = ("pytorch_model.bin.index.json", index.as_bytes());
        directory(
            "parts-of-bin",
            &[("part-1.bin", &whole), ("part-2.bin", &rest), index],
        )
    };
    assert!(trace(&parts(&index(&map))).unwrap() == expected);

    map.insert("one.more".to_owned(), "part-2.bin".into());
    let message = trace(&parts(&index(&map))).unwrap_err();
    assert!(
        message.contains("pytorch_model.bin.index.json: `one.more` is not in part-2.bin"),
        "{message}"
    );
    let directory = parts(&index(&map));
    fs::write(directory.join("part-2.bin"), bin("command.bin")).unwrap();
    let message = trace(&directory).unwrap_err();
    assert!(
        message.contains("part-2.bin: data.pkl: it asks to call posix.system"),
        "{message}"
    );
}

#[test]
fn a_file_that_asks_for_more_than_tensors_is_refused_by_name() {
    let cut = bin("whole.bin");
    for (name, bytes, words) in [
        (
            "command",
            bin("command.bin"),
            "data.pkl: it asks to call posix.system; only tensors are read",
        ),
        (
            "compressed",
            bin("compressed.bin"),
            "data/0: it is compressed",
        ),
        (
            "old",
            bin("before-1.6.bin"),
            "it is a bare pickle, a form of torch before 1.6",
        ),
        (
            "cut",
            cut[..cut.len() - 40].to_vec(),
            "perhaps it was cut short",
        ),
        (
            "page",
            b"<!doctype html>".to_vec(),
            "it is not a file of torch.save",
        ),
        ("empty", vec![], "it is not a file of torch.save"),
        (
            "few",
            bin("f32.bin"),
            "`model.embed_tokens.weight` is missing",
        ),
    ] {
        let message = trace(&directory(name, &[(FILE, &bytes)])).unwrap_err();
        let expected = format!("{FILE}: ");
        assert!(
            message.contains(&expected) && message.contains(words),
            "{message}"
        );
    }
    let huge = directory("huge-bin", &[]);
    let file = fs::File::create(huge.join(FILE)).unwrap();
    for (bytes, words) in [
        (1 << 30, "it is not a file of torch.save"),
        (1 << 40, "the most that are read of such a file"),
    ] {
        file.set_len(bytes).unwrap();
        let message = trace(&huge).unwrap_err();
        assert!(message.contains(words), "{message}");
    }
}
