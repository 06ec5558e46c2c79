//! Directories that hold a checkpoint otherwise than in three whole files, or hold something else.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use safetensors::SafeTensors;
use serde_json::{Value, json};

use super::{attn, scratch, text};

/// A copy of a tiny checkpoint, to be changed.
struct Copy(PathBuf);

impl Copy {
    fn new(name: &str, of: &str) -> Self {
        let directory = scratch(name);
        let tiny = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny");
        for file in ["config.json", "model.safetensors", "tokenizer.json"] {
            fs::copy(tiny.join(of).join(file), directory.join(file)).unwrap();
        }
        Copy(directory)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.0.join(name), bytes).unwrap();
    }

    fn remove(&self, name: &str) {
        fs::remove_file(self.0.join(name)).unwrap();
    }

    fn set(&self, name: &str, value: Value) {
        let path = self.0.join("config.json");
        let mut config: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        config[name] = value;
        fs::write(path, serde_json::to_vec(&config).unwrap()).unwrap();
    }

    fn translated(&self) -> Output {
        let model = self.0.display().to_string();
        attn(&["translate", "--model", &model], "the old dog\n")
    }

    /// The message with which it is refused, which is one line and steers no terminal.
    fn refusal(&self) -> String {
        let output = self.translated();
        assert_eq!(output.status.code(), Some(1));
        let message = text(&output.stderr);
        let line = message.strip_suffix('\n').unwrap();
        assert!(!line.contains(char::is_control), "{line:?}");
        line.to_owned()
    }
}

fn assert_says(message: &str, words: &[&str]) {
    for word in words {
        assert!(message.contains(word), "`{word}` is not in: {message}");
    }
}

#[test]
fn weights_in_parts_are_read_as_one() {
    let copy = Copy::new("parts", "marian-tiny");
    let whole = copy.translated();
    let bytes = fs::read(copy.0.join("model.safetensors")).unwrap();
    copy.remove("model.safetensors");
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let names = [
        "model-00001-of-00002.safetensors",
        "model-00002-of-00002.safetensors",
    ];
    let mut map = BTreeMap::new();
    for (part, name) in names.into_iter().enumerate() {
        let tensors = file.tensors().into_iter().enumerate();
        let tensors = tensors.filter(|(index, _)| index % 2 == part);
        let tensors: Vec<_> = tensors.map(|(_, tensor)| tensor).collect();
        map.extend(tensors.iter().map(|(tensor, _)| (tensor.clone(), name)));
        copy.write(name, safetensors::serialize(tensors, None).unwrap());
    }
    let index = |map: &BTreeMap<String, &str>| {
        let index = json!({"metadata": {}, "weight_map": map});
        copy.write("model.safetensors.index.json", index.to_string());
    };
    index(&map);
    let output = copy.translated();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(output.stdout, whole.stdout);

    map.insert("one.more".to_owned(), names[0]);
    index(&map);
    assert_says(&copy.refusal(), &["index.json", "one.more", names[0]]);
    map.insert("one.more".to_owned(), "../elsewhere.safetensors");
    index(&map);
    assert_says(
        &copy.refusal(),
        &["../elsewhere.safetensors", "no name of a file"],
    );
    map.insert("one.more".to_owned(), "gone.safetensors");
    index(&map);
    assert_says(&copy.refusal(), &["gone.safetensors"]);
}

#[test]
fn what_is_there_in_a_files_place_is_named_with_what_would_help() {
    for (missing, there, words) in [
        (
            "model.safetensors",
            "flax_model.msgpack",
            ["flax_model.msgpack", "save_pretrained"],
        ),
        (
            "model.safetensors",
            "tf_model.h5",
            ["tf_model.h5", "save_pretrained"],
        ),
        (
            "model.safetensors",
            "adapter_model.safetensors",
            ["adapter_model", "merge_and_unload"],
        ),
        (
            "config.json",
            "model-q4.gguf",
            ["model-q4.gguf", "name this file"],
        ),
        ("tokenizer.json", "source.spm", ["source.spm", "vocab.json"]),
        (
            "tokenizer.json",
            "vocab.txt",
            ["vocab.txt", "AutoTokenizer"],
        ),
        (
            "tokenizer.json",
            "tokenizer.model",
            ["tokenizer.model", "AutoTokenizer"],
        ),
    ] {
        let copy = Copy::new("elsewhere", "marian-tiny");
        copy.remove(missing);
        copy.write(there, b"?");
        let message = copy.refusal();
        assert_says(&message, &[missing]);
        assert_says(&message, &words);
    }
    let copy = Copy::new("nothing", "marian-tiny");
    copy.remove("model.safetensors");
    assert_says(&copy.refusal(), &["model.safetensors"]);
}

#[test]
fn a_file_in_the_directorys_place_is_named() {
    let copy = Copy::new("file", "marian-tiny");
    let model = copy.0.join("model.safetensors").display().to_string();
    let output = attn(&["translate", "--model", &model], "the\n");
    assert_says(&text(&output.stderr), &["is a file", "directory"]);
}

#[cfg(unix)]
#[test]
fn files_that_never_end_are_refused_at_once() {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    for name in [
        "config.json",
        "tokenizer.json",
        "model.safetensors",
        "generation_config.json",
    ] {
        let copy = Copy::new("endless", "marian-tiny");
        let path = copy.0.join(name);
        if path.exists() {
            fs::remove_file(&path).unwrap();
        }
        symlink("/dev/zero", &path).unwrap();
        assert_says(&copy.refusal(), &[name, "a device"]);
        copy.remove(name);
        let made = Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        assert_says(&copy.refusal(), &[name, "a pipe"]);
        copy.remove(name);
        fs::create_dir(&path).unwrap();
        assert_says(&copy.refusal(), &[name, "a directory"]);
    }
    // As large as a disk, and nothing in it.
    let copy = Copy::new("sparse", "marian-tiny");
    for name in ["model.safetensors", "tokenizer.json", "config.json"] {
        let file = fs::File::create(copy.0.join(name)).unwrap();
        file.set_len(1 << 40).unwrap();
        let message = copy.refusal();
        let is_told = ["more than", "not a complete"]
            .iter()
            .any(|word| message.contains(word));
        assert!(is_told, "{message}");
    }
}

#[test]
fn no_file_steers_the_terminal() {
    let copy = Copy::new("steering", "marian-tiny");
    copy.set("model_type", json!("a\n\u{1b}[2J\u{9b}b"));
    assert_says(&copy.refusal(), &["a\\n\\u{1b}[2J\\u{9b}b"]);
    copy.set("model_type", json!("marian"));
    copy.set("activation_function", json!("\u{1b}]0;title\u{7}"));
    assert_says(&copy.refusal(), &["\\u{1b}]0;title\\u{7}"]);
    copy.set("activation_function", json!("swish"));
    copy.write("tokenizer.json", "{\"\u{1b}[2J\": \"\u{1b}[2J\"");
    copy.refusal();
    let settings = json!({"eos_token_id": 1, "spell\u{1b}": "\u{1b}[2J"});
    let copy = Copy::new("notes", "marian-tiny");
    copy.write("generation_config.json", settings.to_string());
    copy.set("decoder_start_token_id", json!(0));
    let output = copy.translated();
    assert!(output.status.success());
    let told = text(&output.stderr);
    assert!(!told.trim_end().contains(char::is_control), "{told:?}");
}

#[test]
fn ignored_settings_of_generation_are_told() {
    let copy = Copy::new("settings", "marian-tiny");
    assert_eq!(text(&copy.translated().stderr), "");
    let settings = json!({
        "eos_token_id": 1, "decoder_start_token_id": 0, "bad_words_ids": [[0]], "num_beams": 6,
        "repetition_penalty": 1.5, "transformers_version": "4.40.0"
    });
    copy.write("generation_config.json", settings.to_string());
    let output = copy.translated();
    assert!(output.status.success());
    assert_eq!(
        text(&output.stderr),
        "attn: generation_config.json: ignored: repetition_penalty = 1.5\n\
         attn: generation_config.json: set by the caller: num_beams = 6\n"
    );
}

#[test]
fn languages_are_chosen_by_their_tokens() {
    let copy = Copy::new("languages", "nllb-tiny");
    let model = copy.0.display().to_string();
    let translated = |languages: &[&str]| {
        let arguments = [&["translate", "--model", &model][..], languages].concat();
        attn(&arguments, "the old dog\n")
    };
    let free = translated(&[]);
    assert!(free.status.success(), "{}", text(&free.stderr));
    assert_says(&text(&free.stderr), &["names no target language"]);
    let chosen = translated(&[
        "--source-language",
        "zho_Hans",
        "--target-language",
        "fra_Latn",
    ]);
    assert_eq!(text(&chosen.stderr).matches("target language").count(), 0);
    assert_ne!(chosen.stdout, free.stdout);
    let other = translated(&["--target-language", "fr"]);
    assert_eq!(other.status.code(), Some(1));
    assert_says(&text(&other.stderr), &["`fr` is none of its languages"]);
}
