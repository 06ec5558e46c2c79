//! `cargo xtask`: sets up, builds, serves and tests the page.

mod bench;
mod browsers;
mod bundle;
mod census;
mod dependencies;
mod drawing;
mod error;
mod lints;
mod process;
mod python;
mod serve;
mod setup;
mod sources;
mod test;
mod tex;
mod words;
mod workspace;

use std::{path::PathBuf, process::ExitCode, sync::LazyLock};

use clap::{Args, Parser, Subcommand};

use crate::{
    bundle::{Mode, Offered},
    error::Error,
    test::Stage,
    workspace::Workspace,
};

#[derive(Parser)]
#[command(name = "cargo xtask", about, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build the page and its engines into dist/
    Build {
        /// A page that compiles in seconds; nothing is shrunk or compressed
        #[arg(long)]
        dev: bool,
        /// Offer this published model to visitors (may be given more than once)
        #[arg(long)]
        with: Vec<Offered>,
    },
    /// Build, and serve dist/ on 127.0.0.1 as soon as the page and the CPU's engine are there
    Serve {
        #[command(flatten)]
        quality: Quality,
        /// Offer this published model to visitors (may be given more than once)
        #[arg(long, conflicts_with_all = ["no_build", "dist"])]
        with: Vec<Offered>,
        /// Port to listen on
        #[arg(long, default_value_t = 8080)]
        port: u16,
        /// Serve dist/ as it is
        #[arg(long)]
        no_build: bool,
        /// Serve this directory as it is
        #[arg(long)]
        dist: Option<PathBuf>,
    },
    /// Run everything that has to pass before a change is merged
    Test {
        /// Run this stage alone (may be given more than once)
        #[arg(long)]
        only: Vec<Stage>,
        /// Tests the page as it is published, which takes twice as long to build
        #[arg(long)]
        published: bool,
    },
    /// Measure how fast a long text is drawn
    Drawing,
    /// Measure how soon the page shows something, and how soon the model answers
    Timings,
    /// Use the page for long, and measure whether it holds ever more memory
    Soak,
    /// Take the screenshots in docs/screenshots/
    Screenshots,
    /// Measure our engine next to onnxruntime-web and transformers.js in Chromium
    Bench(bench::Options),
    /// Count lines, comments, imports in circles and what else tells two states of the repository apart
    Census(census::Options),
    /// List what breaks the rules of plain prose
    Words,
}

/// The quality of what is served; what this machine has no use for is left out unless something is asked for.
#[derive(Args)]
struct Quality {
    /// Shrunk and compressed too, as it is published
    #[arg(long, conflicts_with = "dev")]
    release: bool,
    /// A page that compiles in seconds
    #[arg(long)]
    dev: bool,
}

impl Quality {
    fn mode(&self) -> Mode {
        match self {
            Self { dev: true, .. } => Mode::Dev,
            Self { release: true, .. } => Mode::Release,
            _ => Mode::Local,
        }
    }
}

fn main() -> ExitCode {
    LazyLock::force(&process::PROGRAM);
    match perform(Cli::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}", error.chain());
            ExitCode::FAILURE
        }
    }
}

fn perform(task: Task) -> Result<(), Error> {
    let workspace = Workspace::new();
    match task {
        Task::Build { dev, with } => {
            let mode = if dev { Mode::Dev } else { Mode::Release };
            bundle::build(&workspace, mode, &with)
        }
        Task::Serve {
            quality,
            with,
            port,
            no_build,
            dist,
        } => {
            if no_build || dist.is_some() {
                return serve::serve(&dist.unwrap_or_else(|| workspace.dist()), port);
            }
            serve::serve_while_building(&workspace, quality.mode(), with, port)
        }
        Task::Test { only, published } => {
            let mode = if published {
                Mode::Release
            } else {
                Mode::Tested
            };
            test::test(&workspace, &only, mode)
        }
        Task::Drawing => drawing::measure(&workspace),
        Task::Timings => test::timings(&workspace),
        Task::Soak => test::soak(&workspace),
        Task::Screenshots => test::screenshots(&workspace),
        Task::Bench(options) => bench::bench(&workspace, &options),
        Task::Census(options) => census::census(&workspace, &options),
        Task::Words => words::check(&workspace),
    }
}
