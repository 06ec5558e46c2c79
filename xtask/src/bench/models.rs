//! The models that are measured: made once, by PyTorch in an environment of its own.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    bundle::cache::{Key, cached},
    error::Error,
    process::{command, run},
    setup::{self, PythonPackages},
    workspace::Workspace,
};

/// The files that make them; a change to one of these makes them anew.
const SCRIPTS: [&str; 4] = [
    "export.py",
    "checkpoints.py",
    "graphs.py",
    "requirements.txt",
];

/// Checkpoints and ONNX graphs of what both sides run, a directory a model.
///
/// # Errors
/// If Python or its packages are missing, or a graph does not compute what PyTorch does.
pub fn compared(workspace: &Workspace) -> Result<PathBuf, Error> {
    let shipped = workspace.root.join("assets/models/translator");
    let weights: Vec<PathBuf> = ["config.json", "model.safetensors", "tokenizer.json"]
        .iter()
        .map(|name| shipped.join(name))
        .collect();
    export(
        workspace,
        "models",
        &["tiny", "small", "translator"],
        &weights,
    )
}

/// Checkpoints that differ in their number of layers.
///
/// # Errors
/// As [`compared`].
pub fn growth(workspace: &Workspace) -> Result<PathBuf, Error> {
    export(workspace, "growth", &["growth"], &[])
}

fn export(
    workspace: &Workspace,
    name: &str,
    models: &[&str],
    also: &[PathBuf],
) -> Result<PathBuf, Error> {
    let bench = workspace.bench();
    let scripts = SCRIPTS.iter().map(|script| bench.join(script));
    let mut key = Key::default();
    for file in scripts.chain(also.iter().cloned()) {
        key = key.with(fs::read(&file).map_err(Error::file("read", &file))?);
    }
    cached(&workspace.cache(), "bench", name, &key, |result| {
        let packages = PythonPackages {
            environment: workspace.cache().join("bench/python"),
            requirements: bench.join("requirements.txt"),
        };
        let python = setup::python(workspace, &packages)?;
        println!("Making the models (about two minutes, once)");
        run(command(&python.to_string_lossy(), &["export.py"], &bench)
            .env("TQDM_DISABLE", "1")
            .arg(whole(result)?)
            .args(models))
    })
}

/// Absolute, since the script runs in another directory.
fn whole(path: &Path) -> Result<PathBuf, Error> {
    std::path::absolute(path).map_err(Error::file("find", path))
}
