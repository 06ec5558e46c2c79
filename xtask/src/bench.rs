//! `cargo xtask bench`: our engine next to onnxruntime-web and transformers.js in Chromium, on
//! identical weights.

mod agreement;
mod gguf;
mod growth;
mod json;
mod markdown;
mod models;
mod results;
mod statistics;
mod tables;

use std::path::PathBuf;

use clap::Args;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::{
    bundle::{self, Mode, Offered},
    error::Error,
    process::{command, run},
    setup,
    workspace::Workspace,
};

use self::{
    json::{read_json, write_json},
    results::Measured,
};

/// The choice of measurements and their length.
#[derive(Args, Debug)]
pub struct Options {
    /// A handful of passes each, to see that everything works; no document is changed
    #[arg(long)]
    quick: bool,
    /// Only cases whose label (`tiny 64 | CPU, 1 thread`) contains this; no document is changed
    #[arg(long)]
    only: Vec<String>,
    /// Also the large cases on software WebGPU adapters (an hour)
    #[arg(long)]
    heavy: bool,
    /// Rounds in which the engines take turns, A B A B with 2
    #[arg(long, default_value_t = 2)]
    rounds: usize,
    /// A launcher of Chromium whose software adapter is Mesa's lavapipe, to measure on that too
    #[arg(long, value_name = "PATH")]
    lavapipe: Option<PathBuf>,
    /// Measure on the browser's own graphics card too
    #[arg(long)]
    gpu: bool,
    /// Our engine alone, against length and against layers
    #[arg(long)]
    growth: bool,
    /// Our engine next to wllama (llama.cpp) on SmolLM2, from one GGUF file
    #[arg(long, conflicts_with = "growth")]
    gguf: bool,
    /// Measure dist/ as it is
    #[arg(long)]
    no_build: bool,
    /// Measure nothing: make the tables again from what an earlier run wrote
    #[arg(long, value_name = "RAW.json")]
    from: Option<PathBuf>,
    /// Port of the local server
    #[arg(long, default_value_t = 8195)]
    port: u16,
}

impl Options {
    /// True if the figures are fit for the documents.
    fn is_whole(&self) -> bool {
        !self.quick && self.only.is_empty()
    }
}

/// Measures, checks that both sides computed the same, and writes `bench.json` and the tables.
///
/// # Errors
/// If something that is needed is missing, or the engines disagree.
pub fn bench(workspace: &Workspace, options: &Options) -> Result<(), Error> {
    if options.growth {
        let measured: Measured<growth::Point> = measure(workspace, options, "growth")?;
        return growth::publish(workspace, &measured, options.is_whole());
    }
    if options.gguf {
        let measured: Measured<gguf::Run> = measure(workspace, options, "gguf")?;
        return gguf::publish(workspace, &measured, options.is_whole());
    }
    let measured: Measured<results::Case> = measure(workspace, options, "compare")?;
    let summary = statistics::summarise(&measured);
    print!("{}", tables::report(&summary));
    let directory = if options.is_whole() {
        workspace.docs()
    } else {
        workspace.cache().join("bench")
    };
    write_json(&directory.join("bench.json"), &summary)?;
    let wrong = agreement::wrong(&measured);
    if !wrong.is_empty() {
        return Err(Error::Bench(wrong));
    }
    if options.is_whole() {
        let page = workspace.docs().join("performance.md");
        markdown::replace(&page, "bench", &tables::report(&summary))?;
        let readme = workspace.root.join("README.md");
        markdown::replace(&readme, "bench", &tables::short(&summary))?;
    }
    Ok(())
}

/// Starts the browsers, unless an earlier run's results are asked for.
fn measure<T: DeserializeOwned>(
    workspace: &Workspace,
    options: &Options,
    task: &str,
) -> Result<T, Error> {
    if let Some(path) = &options.from {
        return read_json(path);
    }
    if !options.no_build {
        bundle::build(workspace, Mode::Release, &[])?;
    }
    let bench = workspace.bench();
    setup::npm_packages(&bench)?;
    let chromium = setup::chromium(workspace)?;
    let cache = workspace.cache().join("bench");
    let models = match task {
        "growth" => models::growth(workspace)?,
        // It needs no models of PyTorch.
        "gguf" => cache.clone(),
        _ => models::compared(workspace)?,
    };
    let gguf = match task {
        "gguf" => Some(Offered::Smollm2.fetched(workspace)?),
        _ => None,
    };
    let raw = cache.join(format!("{task}-raw.json"));
    let plan = cache.join("plan.json");
    let wanted = json!({
        "task": task,
        "dist": workspace.dist(),
        "bench": bench,
        "models": models,
        "gguf": gguf,
        "cache": cache.join("sizes"),
        "out": raw,
        "chromium": chromium,
        "lavapipe": options.lavapipe,
        "gpu": options.gpu,
        "port": options.port,
        "rounds": options.rounds,
        "quick": options.quick,
        "heavy": options.heavy,
        "only": options.only,
    });
    write_json(&plan, &wanted)?;
    let script = bench.join("src/main.js");
    let arguments = [&*script.to_string_lossy(), &*plan.to_string_lossy()];
    run(&mut command("node", &arguments, &bench))?;
    read_json(&raw)
}
