//! Everything that has to pass before a change is merged, stage by stage.

use std::{
    env, fmt,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use clap::ValueEnum;

use crate::{
    bundle::{self, Mode},
    error::Error,
    process::{NPX, command, run},
    setup::{self, WASM},
    workspace::Workspace,
};

/// A part of the tests that can be run alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// Formatting
    Fmt,
    /// Lints, of the host's code and of what runs in the browser
    Clippy,
    /// Tests of all crates, on the host
    Rust,
    /// The page and both engines, as they are published
    Wasm,
    /// Journeys through the built page in Chromium
    E2e,
}

impl Stage {
    const ALL: [Self; 5] = [Self::Fmt, Self::Clippy, Self::Rust, Self::Wasm, Self::E2e];

    fn name(self) -> &'static str {
        match self {
            Self::Fmt => "fmt",
            Self::Clippy => "clippy",
            Self::Rust => "rust",
            Self::Wasm => "wasm",
            Self::E2e => "e2e",
        }
    }

    fn perform(self, workspace: &Workspace) -> Result<(), Error> {
        match self {
            Self::Fmt => formatting(workspace),
            Self::Clippy => lints(workspace),
            Self::Rust => rust_tests(workspace),
            Self::Wasm => bundle::build(workspace, Mode::Release),
            Self::E2e => {
                scripts(workspace)?;
                journeys(workspace, &["test"], None)
            }
        }
    }
}

/// How a stage went.
struct Outcome {
    stage: Stage,
    passed: bool,
    took: Duration,
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let result = if self.passed { "ok" } else { "FAILED" };
        let seconds = self.took.as_secs_f64();
        write!(formatter, "{} {result} {seconds:.0} s", self.stage.name())
    }
}

/// Runs the stages, all of them if `only` is empty. A failed stage does not keep the others from
/// running, so that one run shows everything that is wrong.
///
/// # Errors
/// If a stage failed.
pub fn test(workspace: &Workspace, only: &[Stage]) -> Result<(), Error> {
    let outcomes: Vec<Outcome> = chosen(only)
        .into_iter()
        .map(|stage| timed(stage, workspace))
        .collect();
    let lines: Vec<String> = outcomes.iter().map(Outcome::to_string).collect();
    println!("\n{}", lines.join(" | "));
    let failed: Vec<&str> = outcomes
        .iter()
        .filter(|outcome| !outcome.passed)
        .map(|outcome| outcome.stage.name())
        .collect();
    if failed.is_empty() {
        Ok(())
    } else {
        Err(Error::Stages(failed))
    }
}

/// Takes the screenshots in `docs/screenshots/`.
///
/// # Errors
/// If the page does not build, or misbehaves while it is photographed.
pub fn screenshots(workspace: &Workspace) -> Result<(), Error> {
    bundle::build(workspace, Mode::Release)?;
    journeys(
        workspace,
        &["test", "--config", "screenshots.config.ts"],
        None,
    )
}

/// Measures how soon the page is there and live.
///
/// # Errors
/// If the page does not build, or does not come to life.
pub fn timings(workspace: &Workspace) -> Result<(), Error> {
    bundle::build(workspace, Mode::Release)?;
    journeys(workspace, &["test", "--config", "timings.config.ts"], None)
}

/// Uses the page for long, and measures what it holds.
///
/// # Errors
/// If the page does not build, or holds ever more.
pub fn soak(workspace: &Workspace) -> Result<(), Error> {
    bundle::build(workspace, Mode::Release)?;
    journeys(workspace, &["test", "--config", "soak.config.ts"], None)
}

/// The journeys need the page, so they bring its build with them.
fn chosen(only: &[Stage]) -> Vec<Stage> {
    let wanted = |stage: &Stage| {
        only.is_empty()
            || only.contains(stage)
            || (*stage == Stage::Wasm && only.contains(&Stage::E2e))
    };
    Stage::ALL.into_iter().filter(wanted).collect()
}

fn timed(stage: Stage, workspace: &Workspace) -> Outcome {
    println!("\n== {} ==", stage.name());
    let start = Instant::now();
    let result = stage.perform(workspace);
    if let Err(error) = &result {
        println!("{}", error.chain());
    }
    let outcome = Outcome {
        stage,
        passed: result.is_ok(),
        took: start.elapsed(),
    };
    println!("== {outcome} ==");
    outcome
}

fn formatting(workspace: &Workspace) -> Result<(), Error> {
    setup::rust_components(workspace)?;
    cargo(workspace, "fmt --all -- --check")
}

fn lints(workspace: &Workspace) -> Result<(), Error> {
    setup::rust_components(workspace)?;
    setup::wasm_target(workspace)?;
    cargo(
        workspace,
        "clippy --workspace --all-targets -- --deny warnings",
    )?;
    // The profile is that of the build, which shares its macros and build scripts.
    for crates in [
        "--package attention-app",
        "--package attention-lessons",
        "--package attention-worker",
        "--package attention-worker --features threads",
        "--package attention-worker --features webgpu",
    ] {
        let arguments =
            format!("clippy {crates} --target {WASM} --profile wasm-release -- --deny warnings");
        cargo(workspace, &arguments)?;
    }
    Ok(())
}

fn rust_tests(workspace: &Workspace) -> Result<(), Error> {
    // At release settings: the tests run, and one of them trains, real models.
    if setup::nextest(workspace) {
        cargo(
            workspace,
            "nextest run --workspace --release --no-fail-fast",
        )?;
        // nextest runs no examples in documentation.
        cargo(workspace, "test --workspace --release --doc")
    } else {
        cargo(workspace, "test --workspace --release --no-fail-fast")
    }
}

/// JavaScript that needs no browser: how the engines read `tokenizer.json`, and what compares numbers
/// in the bench.
fn scripts(workspace: &Workspace) -> Result<(), Error> {
    setup::npm_packages(&workspace.npm())?;
    for directory in [workspace.tokenizer(), workspace.bench().join("src")] {
        run(&mut command("node", &["--test"], &directory))?;
    }
    Ok(())
}

/// Runs Playwright with these arguments on `dist/`, or on another directory that is built.
///
/// # Errors
/// If the browser cannot be set up, or Playwright reports failure.
pub fn journeys(
    workspace: &Workspace,
    arguments: &[&str],
    dist: Option<&Path>,
) -> Result<(), Error> {
    let directory = workspace.journeys();
    setup::npm_packages(&directory)?;
    let chromium = setup::chromium(workspace)?;
    run(&mut command(NPX, &["tsc", "--noEmit"], &directory))?;
    let mut playwright = command(NPX, &["playwright"], &directory);
    playwright.args(arguments).env("CHROMIUM", chromium);
    if let Some(dist) = dist {
        playwright.env("DIST", dist);
    }
    with_this_program(&mut playwright);
    run(&mut playwright)
}

/// Playwright starts the server with this very program: going through cargo would wait for
/// whatever build holds its lock.
fn with_this_program(command: &mut Command) {
    if let Ok(program) = env::current_exe() {
        command.env("XTASK", program);
    }
}

fn cargo(workspace: &Workspace, arguments: &str) -> Result<(), Error> {
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    run(&mut command("cargo", &arguments, &workspace.root))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_stages_run_unless_some_are_chosen() {
        assert_eq!(chosen(&[]), Stage::ALL);
        assert_eq!(chosen(&[Stage::Fmt]), [Stage::Fmt]);
        assert_eq!(chosen(&[Stage::E2e]), [Stage::Wasm, Stage::E2e]);
    }

    #[test]
    fn an_outcome_tells_result_and_time() {
        let outcome = Outcome {
            stage: Stage::Clippy,
            passed: false,
            took: Duration::from_millis(61_700),
        };
        assert_eq!(outcome.to_string(), "clippy FAILED 62 s");
    }
}
