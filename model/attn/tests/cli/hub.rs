//! Models by their names, from a cache as `hf download` makes it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::{scratch, text};

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const OTHER: &str = "89abcdef0123456789abcdef0123456789abcdef";

fn tiny(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny");
    root.join(name)
}

/// Adds a revision of a model to a cache: its files are links to blobs, and the revision names the commit.
fn add(cache: &Path, folder: &str, [revision, commit]: [&str; 2], files: &[PathBuf]) {
    let model = cache.join(folder);
    let (snapshot, blobs) = (model.join("snapshots").join(commit), model.join("blobs"));
    let reference = model.join("refs").join(revision);
    for directory in [&snapshot, &blobs, reference.parent().unwrap()] {
        fs::create_dir_all(directory).unwrap();
    }
    for (number, file) in files.iter().enumerate() {
        let blob = format!("{commit}-{number}");
        fs::copy(file, blobs.join(&blob)).unwrap();
        let link = snapshot.join(file.file_name().unwrap());
        symlink(Path::new("../../blobs").join(blob), link).unwrap();
    }
    fs::write(reference, commit).unwrap();
}

/// A cache with a checkpoint in two revisions, and a GGUF file.
fn cache(name: &str) -> PathBuf {
    let cache = scratch(name).join("hub");
    let of = |model: &str| {
        ["config.json", "model.safetensors", "tokenizer.json"].map(|file| tiny(model).join(file))
    };
    let folder = "models--some-one--Tiny.1";
    add(&cache, folder, ["main", COMMIT], &of("llama-tiny"));
    add(&cache, folder, ["refs/pr/1", OTHER], &of("gpt2-tiny"));
    let file = [tiny("gguf-llama").join("model.gguf")];
    add(&cache, "models--some-one--GGUF", ["main", COMMIT], &file);
    cache
}

/// Runs `attn lens` in an empty directory, with these variables alone that tell where a cache is.
fn lens(model: &str, variables: &[(&str, &Path)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_attn"));
    for name in [
        "HF_HUB_CACHE",
        "HUGGINGFACE_HUB_CACHE",
        "HF_HOME",
        "XDG_CACHE_HOME",
    ] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied());
    let arguments = ["lens", "--model", model, "--text", "the old dog"];
    command.args(arguments).output().unwrap()
}

fn printed(model: &str, variables: &[(&str, &Path)]) -> String {
    let output = lens(model, variables);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

fn refused(model: &str, variables: &[(&str, &Path)]) -> String {
    let output = lens(model, variables);
    assert_eq!(output.status.code(), Some(1));
    text(&output.stderr)
}

#[test]
fn a_model_is_found_by_its_name_and_revision() {
    let cache = cache("hub-found");
    let hub = [("HF_HUB_CACHE", cache.as_path())];
    let by_path = |name: &str| printed(&tiny(name).display().to_string(), &[]);
    let first = by_path("llama-tiny");
    assert_eq!(printed("some-one/Tiny.1", &hub), first);
    assert_eq!(printed(&format!("some-one/Tiny.1@{COMMIT}"), &hub), first);
    let second = by_path("gpt2-tiny");
    assert_ne!(first, second);
    assert_eq!(printed("some-one/Tiny.1@refs/pr/1", &hub), second);
    let file = tiny("gguf-llama").join("model.gguf");
    let expected = printed(&file.display().to_string(), &[]);
    assert_eq!(printed("some-one/GGUF", &hub), expected);
}

#[test]
fn the_cache_is_where_the_variables_say() {
    let cache = cache("hub-places");
    let home = cache.parent().unwrap();
    let expected = printed("some-one/Tiny.1", &[("HF_HUB_CACHE", &cache)]);
    let found = |variables: &[(&str, &Path)]| printed("some-one/Tiny.1", variables);
    assert_eq!(found(&[("HF_HOME", home)]), expected);
    // An empty variable is none, and the first one counts.
    assert_eq!(
        found(&[("HF_HUB_CACHE", Path::new("")), ("HF_HOME", home)]),
        expected
    );
    let elsewhere = Path::new("/nowhere");
    assert_eq!(
        found(&[("HF_HUB_CACHE", &cache), ("HF_HOME", elsewhere)]),
        expected
    );

    let user = scratch("hub-user");
    let standard = user.join(".cache/huggingface");
    fs::create_dir_all(&standard).unwrap();
    symlink(&cache, standard.join("hub")).unwrap();
    assert_eq!(found(&[("HOME", &user)]), expected);
    assert_eq!(
        found(&[
            ("XDG_CACHE_HOME", &user.join(".cache")),
            ("HOME", elsewhere)
        ]),
        expected
    );
}

#[test]
fn a_path_that_exists_is_no_name() {
    let cache = cache("hub-path");
    let directory = scratch("hub-beside").join("some-one");
    fs::create_dir_all(&directory).unwrap();
    symlink(tiny("gpt2-tiny"), directory.join("Tiny.1")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_attn"))
        .current_dir(directory.parent().unwrap())
        .env("HF_HUB_CACHE", &cache)
        .args([
            "lens",
            "--model",
            "some-one/Tiny.1",
            "--text",
            "the old dog",
        ])
        .output()
        .unwrap();
    let expected = printed(&tiny("gpt2-tiny").display().to_string(), &[]);
    assert_eq!(text(&output.stdout), expected);
}

#[test]
fn what_is_not_in_the_cache_is_told_with_the_command_that_gets_it() {
    let cache = cache("hub-absent");
    let hub = [("HF_HUB_CACHE", cache.as_path())];
    let place = cache.display();
    assert_eq!(
        refused("some-one/other", &hub),
        format!(
            "attn: there is no file or directory some-one/other, and {place} has no such model: \
             `hf download some-one/other` gets it\n"
        )
    );
    for revision in ["v2", OTHER.trim_end_matches('f')] {
        let name = format!("some-one/GGUF@{revision}");
        let message = refused(&name, &hub);
        let words = format!(
            "there is no file or directory {name}, and {place}/models--some-one--GGUF has no such revision: \
             `hf download some-one/GGUF --revision {revision}` gets it"
        );
        assert!(message.contains(&words), "{message}");
    }
    // A path of another form is no name.
    let message = refused("./some-one/other", &hub);
    assert!(!message.contains("hf download"), "{message}");

    let reference = cache.join("models--some-one--GGUF/refs/main");
    fs::write(&reference, "../../../../etc").unwrap();
    let expected = format!("{}: it does not name a commit", reference.display());
    let message = refused("some-one/GGUF", &hub);
    assert!(message.contains(&expected), "{message}");
}

#[test]
fn a_link_to_nothing_is_a_missing_file() {
    let cache = cache("hub-broken");
    let model = cache.join("models--some-one--Tiny.1");
    fs::remove_file(model.join("blobs").join(format!("{COMMIT}-1"))).unwrap();
    let message = refused("some-one/Tiny.1", &[("HF_HUB_CACHE", &cache)]);
    assert!(message.contains("model.safetensors"), "{message}");
}
