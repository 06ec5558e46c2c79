//! GGUF files in place of a directory.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use attention_trace::Trace;
use safetensors::SafeTensors;
use serde_json::Value;

use crate::{attn, scratch, text};

fn file(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny");
    root.join(name).join("model.gguf")
}

/// The text of the fixtures' first case.
const SENTENCE: &str = "the old dog sits in the garden";

#[test]
fn a_gguf_file_is_traced_as_transformers_runs_it() {
    for name in ["gguf-llama", "gguf-gpt2"] {
        let bytes = fs::read(file(name).with_file_name("expected.safetensors")).unwrap();
        let expected = SafeTensors::deserialize(&bytes).unwrap();
        let (_, header) = SafeTensors::read_metadata(&bytes).unwrap();
        let fixture = &header.metadata().as_ref().unwrap()["fixture"];
        let fixture: Value = serde_json::from_str(fixture).unwrap();
        let case = &fixture["cases"][0];
        assert_eq!(case["text"], SENTENCE);
        let tokens = ["target", "greedy"].map(|part| case[part].as_array().unwrap().clone());

        let model = file(name).display().to_string();
        let out = scratch(name).join("trace.safetensors");
        let path = out.display().to_string();
        let arguments = ["--text", SENTENCE, "--max-new-tokens", "32", "--out", &path];
        let output = attn(
            &[&["trace", "--model", &model][..], &arguments].concat(),
            "",
        );
        assert!(output.status.success(), "{}", text(&output.stderr));
        let trace = Trace::from_safetensors(&fs::read(&out).unwrap()).unwrap();
        let found: Vec<Value> = trace
            .meta
            .target
            .iter()
            .map(|token| token.id.into())
            .collect();
        // The last token that is written is read by no pass.
        let expected_tokens = tokens.concat();
        assert!(expected_tokens.starts_with(&found), "{name}: {found:?}");
        assert!(
            found.len() + 1 >= expected_tokens.len(),
            "{name}: {found:?}"
        );

        let pattern = trace.array("decoder.1.self.pattern".parse().unwrap());
        let pattern = pattern.unwrap();
        let view = expected.tensor("sentence/decoder.1.self.pattern").unwrap();
        let (values, _) = view.data().as_chunks::<4>();
        let &[heads, queries, keys] = view.shape() else {
            panic!("{:?}", view.shape())
        };
        for (index, value) in values.iter().enumerate() {
            let (head, query, key) = (index / keys / queries, index / keys % queries, index % keys);
            assert!(head < heads);
            let found = pattern.row(&[head, query]).unwrap()[key];
            assert!((found - f32::from_le_bytes(*value)).abs() < 1e-4, "{name}");
        }
    }
}

#[test]
fn other_commands_take_a_gguf_file() {
    let model = file("gguf-gpt2").display().to_string();
    let output = attn(&["lens", "--model", &model, "--text", SENTENCE], "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).contains("layer"),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn a_broken_gguf_file_is_refused_by_name_and_field() {
    let directory = scratch("broken-gguf");
    let whole = fs::read(file("gguf-llama")).unwrap();
    for (name, bytes, words) in [
        ("cut.gguf", &whole[..whole.len() - 40], "it ends at byte"),
        ("empty.gguf", &[], "it does not begin with the letters GGUF"),
        (
            "page.gguf",
            b"<!doctype html>",
            "it does not begin with the letters GGUF",
        ),
        ("no-ending", &whole[..100], "it ends at byte"),
        ("notes.txt", b"notes", "is a file: name the directory"),
    ] {
        let path = directory.join(name);
        fs::write(&path, bytes).unwrap();
        let path = path.display().to_string();
        let output = attn(&["translate", "--model", &path], "the\n");
        assert_eq!(output.status.code(), Some(1));
        let message = text(&output.stderr);
        assert!(message.contains(words), "{message}");
    }
}

const PARTS: [&str; 3] = [
    "model-00001-of-00003.gguf",
    "model-00002-of-00003.gguf",
    "model-00003-of-00003.gguf",
];

/// A directory with these parts of the model.
fn parts(name: &str, parts: &[&str]) -> PathBuf {
    let directory = scratch(name);
    for part in parts {
        let from = file("gguf-parts").with_file_name(part);
        fs::copy(from, directory.join(part)).unwrap();
    }
    directory
}

/// Traces a sentence into a directory of that name, and returns the trace or the message.
fn trace(directory: &str, model: &Path) -> Result<Vec<u8>, String> {
    let out = scratch(directory).join("trace.safetensors");
    let (path, model) = (out.display().to_string(), model.display().to_string());
    let arguments = [
        "trace", "--model", &model, "--text", SENTENCE, "--out", &path,
    ];
    let output = attn(&arguments, "");
    match output.status.success() {
        true => Ok(fs::read(out).unwrap()),
        false => Err(text(&output.stderr)),
    }
}

/// The tensors of a trace by name, and its description.
type Contents = (Vec<(String, Vec<u8>)>, BTreeMap<String, String>);

/// Returns the tensors of a trace and its description, in order of their names: the order in the file is by chance. The
/// origin names the file of the model, and is left out.
fn contents(trace: &[u8]) -> Contents {
    let (_, header) = SafeTensors::read_metadata(trace).unwrap();
    let entries = header.metadata().clone().unwrap().into_iter();
    let description = entries.filter(|(entry, _)| entry != "origin").collect();
    let file = SafeTensors::deserialize(trace).unwrap();
    let tensors = file.tensors().into_iter();
    let mut tensors: Vec<_> = tensors
        .map(|(name, view)| (name, view.data().to_vec()))
        .collect();
    tensors.sort();
    (tensors, description)
}

#[test]
fn parts_of_a_model_are_read_as_one_file() {
    let whole = contents(&trace("trace-of-parts", &file("gguf-llama")).unwrap());
    assert!(whole.0.len() > 20);
    let directory = parts("gguf-parts", &PARTS);
    for model in [
        directory.clone(),
        directory.join(PARTS[0]),
        directory.join(PARTS[2]),
    ] {
        let found = contents(&trace("trace-of-parts", &model).unwrap());
        assert!(found == whole, "{}", model.display());
    }
}

#[test]
fn parts_that_make_no_model_are_refused() {
    let first = parts("gguf-first", &PARTS[..1]);
    for model in [first.clone(), first.join(PARTS[0])] {
        let expected = format!(
            "of the 3 parts of the model, there is no {}, {}",
            PARTS[1], PARTS[2]
        );
        let message = trace("trace-of-no-model", &model).unwrap_err();
        assert!(message.contains(&expected), "{message}");
    }

    let mixed = parts("gguf-mixed", &PARTS);
    fs::copy(mixed.join(PARTS[1]), mixed.join(PARTS[2])).unwrap();
    let message = trace("trace-of-no-model", &mixed).unwrap_err();
    let expected = format!(
        "{}: split.no: 1 is not the number of the file's name less 1, 2",
        PARTS[2]
    );
    assert!(message.contains(&expected), "{message}");

    let cut = parts("gguf-cut", &PARTS);
    let bytes = fs::read(cut.join(PARTS[1])).unwrap();
    fs::write(cut.join(PARTS[1]), &bytes[..bytes.len() - 64]).unwrap();
    let message = trace("trace-of-no-model", &cut).unwrap_err();
    assert!(
        message.contains(PARTS[1]) && message.contains("it ends at byte"),
        "{message}"
    );

    let two = parts("gguf-two", &PARTS);
    fs::copy(two.join(PARTS[0]), two.join("other-00001-of-00002.gguf")).unwrap();
    let message = trace("trace-of-no-model", &two).unwrap_err();
    let expected = format!(
        "name the first part of one ({}, other-00001-of-00002.gguf)",
        PARTS[0]
    );
    assert!(message.contains(&expected), "{message}");

    let renamed = parts("gguf-renamed", &PARTS);
    fs::rename(renamed.join(PARTS[0]), renamed.join("first.gguf")).unwrap();
    let message = trace("trace-of-no-model", &renamed.join("first.gguf")).unwrap_err();
    assert!(
        message.contains("split.count: 3 parts make the model: join them"),
        "{message}"
    );
}
