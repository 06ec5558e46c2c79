//! GGUF files in place of a directory.

use std::fs;
use std::path::{Path, PathBuf};

use attention_trace::Trace;
use safetensors::SafeTensors;
use serde_json::Value;

use crate::{attn, scratch, text};

fn file(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/tiny");
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
