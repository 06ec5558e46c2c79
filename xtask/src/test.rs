//! Everything that has to pass before a change is merged, stage by stage.

mod report;

use std::{
    fmt,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use clap::ValueEnum;

use crate::{
    browsers,
    bundle::{self, Mode},
    dependencies,
    error::{Error, printed},
    lints::by_clippy,
    process::{NPX, command, run, succeeds, with_this_program},
    python, setup, tex, words,
    workspace::Workspace,
};

/// A part of the tests that can be run alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// Formatting of all Rust code
    Fmt,
    /// The mechanical rules of prose
    Words,
    /// Licences and versions of the dependencies
    Dependencies,
    /// Lints of what runs on the host, which is compiled for its tests
    Clippy,
    /// Tests of all crates, on the host
    Rust,
    /// Tests of the Python package, and its notebook in Chromium
    Python,
    /// TikZ files of the figures, compiled by a TeX of the system and compared with their numbers
    Tex,
    /// The page and its engines, linted while they are compiled
    Wasm,
    /// Tests of the CPU engines' kernels, compiled as the engines are; the journeys run them
    Kernels,
    /// Journeys through the built page in Chromium
    E2e,
    /// Core journeys through the built page in Firefox and WebKitGTK
    Browsers,
}

impl Stage {
    const ALL: [Self; 11] = [
        Self::Fmt,
        Self::Words,
        Self::Dependencies,
        Self::Clippy,
        Self::Rust,
        Self::Python,
        Self::Tex,
        Self::Wasm,
        Self::Kernels,
        Self::E2e,
        Self::Browsers,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Fmt => "fmt",
            Self::Words => "words",
            Self::Dependencies => "dependencies",
            Self::Clippy => "clippy",
            Self::Rust => "rust",
            Self::Python => "python",
            Self::Tex => "tex",
            Self::Wasm => "wasm",
            Self::Kernels => "kernels",
            Self::E2e => "e2e",
            Self::Browsers => "browsers",
        }
    }

    /// About how long it takes the first time on two cores.
    fn first_minutes(self) -> u32 {
        match self {
            Self::Fmt | Self::Words | Self::Dependencies => 1,
            Self::Clippy => 10,
            Self::Rust | Self::Browsers => 4,
            Self::Tex => 2,
            Self::Python => 5,
            Self::Wasm => 12,
            Self::Kernels => 1,
            Self::E2e => 23,
        }
    }

    fn needs_node(self) -> bool {
        matches!(
            self,
            Self::Python | Self::Tex | Self::Wasm | Self::Kernels | Self::E2e | Self::Browsers
        )
    }

    /// Returns what was skipped, a line each.
    fn perform(self, workspace: &Workspace, mode: Mode) -> Result<Vec<String>, Error> {
        match self {
            Self::Fmt => formatting(workspace)?,
            Self::Words => words::check(workspace)?,
            Self::Dependencies => dependencies::check(workspace)?,
            Self::Clippy => lints(workspace)?,
            Self::Rust => rust_tests(workspace)?,
            Self::Python => return python_tests(workspace),
            Self::Tex => return tex::test(workspace),
            Self::Wasm => {
                setup::rust_components(workspace)?;
                bundle::build(workspace, mode, &[])?;
            }
            Self::Kernels => bundle::kernel_tests(workspace, mode)?,
            Self::E2e => {
                scripts(workspace)?;
                journeys(workspace)?;
            }
            Self::Browsers => return browsers::test(workspace),
        }
        Ok(Vec::new())
    }
}

/// The outcome of a stage.
struct Outcome {
    stage: Stage,
    took: Duration,
    /// The parts that did not run, a line each.
    result: Result<Vec<String>, Error>,
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let result = if self.result.is_ok() { "ok" } else { "FAILED" };
        let seconds = self.took.as_secs_f64();
        write!(formatter, "{} {result} {seconds:.0} s", self.stage.name())
    }
}

/// Runs the stages, all of them if `only` is empty. A failed stage does not keep the others from
/// running, so that one run shows everything that is wrong.
///
/// # Errors
/// If a stage failed.
pub fn test(workspace: &Workspace, only: &[Stage], mode: Mode) -> Result<(), Error> {
    let stages = chosen(only);
    // Not only after half an hour.
    if stages.iter().any(|stage| stage.needs_node()) {
        setup::node(workspace)?;
    }
    let mut outcomes = Vec::with_capacity(stages.len());
    for (number, stage) in stages.iter().enumerate() {
        let (name, minutes) = (stage.name(), stage.first_minutes());
        println!(
            "\n== [{}/{}] {name}, about {minutes} min the first time on two cores ==",
            number + 1,
            stages.len()
        );
        outcomes.push(timed(*stage, workspace, mode));
    }
    let lines: Vec<String> = outcomes.iter().map(Outcome::to_string).collect();
    println!("\n{}", lines.join(" | "));
    let mut failed = Vec::new();
    for Outcome { stage, result, .. } in outcomes {
        match result {
            Ok(skipped) => skipped.iter().for_each(|line| println!("{line}")),
            Err(error) => {
                // Once more: what other stages print since can be longer than what is kept of the output.
                error.print();
                failed.push(stage.name());
            }
        }
    }
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
    bundle::build(workspace, Mode::Release, &[])?;
    playwright(
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
    bundle::build(workspace, Mode::Release, &[])?;
    playwright(workspace, &["test", "--config", "timings.config.ts"], None)
}

/// Uses the page for long, and measures what it holds.
///
/// # Errors
/// If the page does not build, or holds ever more.
pub fn soak(workspace: &Workspace) -> Result<(), Error> {
    bundle::build(workspace, Mode::Release, &[])?;
    playwright(workspace, &["test", "--config", "soak.config.ts"], None)
}

/// The journeys need the page, and in Chromium the kernels' tests, so they bring their builds with them.
fn chosen(only: &[Stage]) -> Vec<Stage> {
    let needed = |stage: &Stage| match stage {
        Stage::Wasm => only.contains(&Stage::E2e) || only.contains(&Stage::Browsers),
        Stage::Kernels => only.contains(&Stage::E2e),
        _ => false,
    };
    let wanted = |stage: &Stage| only.is_empty() || only.contains(stage) || needed(stage);
    Stage::ALL.into_iter().filter(wanted).collect()
}

fn timed(stage: Stage, workspace: &Workspace, mode: Mode) -> Outcome {
    let start = Instant::now();
    let result = stage.perform(workspace, mode).inspect_err(Error::print);
    let outcome = Outcome {
        stage,
        took: start.elapsed(),
        result,
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
    setup::rust(workspace)?;
    compiled(workspace)
}

/// Compiles the tests, and the programs that they run.
fn compiled(workspace: &Workspace) -> Result<(), Error> {
    let mut cargo = cargo_command(workspace, &format!("test --no-run {TESTED}"));
    run(by_clippy(&mut cargo))
}

/// Tests the Python package beside `attn`, and opens what it made in Chromium; returns what was skipped.
fn python_tests(workspace: &Workspace) -> Result<Vec<String>, Error> {
    setup::rust_components(workspace)?;
    compiled(workspace)?;
    let skipped = python::test(workspace)?;
    if skipped.is_empty() {
        setup::npm_packages(&workspace.journeys())?;
        let chromium = setup::headless_chromium(workspace)?;
        let arguments = ["test", "--config", "notebook.config.ts"];
        playwright_in(chromium.as_deref(), workspace, &arguments, None)?;
    }
    Ok(skipped)
}

/// The crates that have tests on the host, all in one run and in the profile of this very program, so that nothing they
/// depend on is compiled twice. The workers have no tests that run here. The features are the default ones without burn's
/// vectors, which take longer to compile than all tests without them.
const TESTED: &str = "--locked --workspace --exclude attention-worker --exclude attention-lessons \
    --exclude attention-trainer --exclude attention-kernel-tests --no-default-features \
    --features attention-model/cli,attention-model/lessons,attention-model/threads,attention-model/tokenizers";

fn rust_tests(workspace: &Workspace) -> Result<(), Error> {
    setup::rust_components(workspace)?;
    // nextest runs what is left while a slow test runs, but takes minutes to install, and has no tests of documentation.
    let runs: &[&str] = match succeeds("cargo", &["nextest", "--version"]) {
        true => &["nextest run", "test --doc"],
        false => &["test"],
    };
    runs.iter().try_for_each(|tests| {
        let mut cargo = cargo_command(workspace, &format!("{tests} --no-fail-fast {TESTED}"));
        run(by_clippy(&mut cargo))
    })
}

/// Tests of JavaScript that needs no browser: how the engines read `tokenizer.json`, what page and engines do with files
/// that do not come as they were published, and what compares numbers in the bench.
fn scripts(workspace: &Workspace) -> Result<(), Error> {
    setup::npm_packages(&workspace.npm())?;
    for directory in [
        workspace.tokenizer(),
        workspace.scripts(),
        workspace.bench().join("src"),
    ] {
        run(&mut command("node", &["--test"], &directory))?;
    }
    Ok(())
}

/// Runs the journeys on `dist/`, and names the slowest.
fn journeys(workspace: &Workspace) -> Result<(), Error> {
    setup::npm_packages(&workspace.journeys())?;
    // Journeys start `attn serve`.
    compiled(workspace)?;
    let chromium = setup::headless_chromium(workspace)?;
    let path = workspace.journeys_report();
    report::forget(&path)?;
    let outcome = playwright_in(chromium.as_deref(), workspace, &["test"], None);
    // The report's error is not the stage's: where journeys did not start, theirs counts.
    let Some(journeys) = printed(report::read(&path)) else {
        return outcome;
    };
    println!(
        "\nThe slowest journeys:\n{}",
        report::slowest(&journeys).join("\n")
    );
    let failed = report::failed(&journeys);
    match failed.is_empty() {
        true => outcome,
        false => Err(Error::Journeys(failed)),
    }
}

/// Runs Playwright and a Chromium as visitors have it with these arguments on `dist/`, or on another directory that is
/// built.
///
/// # Errors
/// If the browser cannot be set up, or Playwright reports failure.
pub fn playwright(
    workspace: &Workspace,
    arguments: &[&str],
    dist: Option<&Path>,
) -> Result<(), Error> {
    setup::npm_packages(&workspace.journeys())?;
    let chromium = setup::chromium(workspace)?;
    playwright_in(Some(&chromium), workspace, arguments, dist)
}

/// `None` stands for the Chromium that Playwright chooses.
fn playwright_in(
    chromium: Option<&Path>,
    workspace: &Workspace,
    arguments: &[&str],
    dist: Option<&Path>,
) -> Result<(), Error> {
    let directory = workspace.journeys();
    run(&mut command(NPX, &["tsc", "--noEmit"], &directory))?;
    let mut playwright = command(NPX, &["playwright"], &directory);
    playwright
        .args(arguments)
        .env("KERNEL_TESTS", bundle::kernel_tests_directory(workspace));
    if let Some(chromium) = chromium {
        playwright.env("CHROMIUM", chromium);
    }
    if let Some(dist) = dist {
        playwright.env("DIST", dist);
    }
    with_this_program(&mut playwright);
    run(&mut playwright)
}

fn cargo(workspace: &Workspace, arguments: &str) -> Result<(), Error> {
    run(&mut cargo_command(workspace, arguments))
}

fn cargo_command(workspace: &Workspace, arguments: &str) -> Command {
    let arguments: Vec<&str> = arguments.split_whitespace().collect();
    command("cargo", &arguments, &workspace.root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_stages_run_unless_some_are_chosen() {
        assert_eq!(chosen(&[]), Stage::ALL);
        assert_eq!(chosen(&[Stage::Fmt]), [Stage::Fmt]);
        assert_eq!(
            chosen(&[Stage::E2e]),
            [Stage::Wasm, Stage::Kernels, Stage::E2e]
        );
        assert_eq!(chosen(&[Stage::Browsers]), [Stage::Wasm, Stage::Browsers]);
    }

    #[test]
    fn an_outcome_tells_result_and_time() {
        let outcome = Outcome {
            stage: Stage::Clippy,
            took: Duration::from_millis(61_700),
            result: Err(Error::Stopped),
        };
        assert_eq!(outcome.to_string(), "clippy FAILED 62 s");
    }
}
