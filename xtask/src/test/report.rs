//! Playwright's report: the journeys that failed, and those that took longest.

use std::{fs, io::ErrorKind, path::Path};

use serde::Deserialize;

use crate::error::Error;

/// The number of journeys that are named.
const NAMED: usize = 10;

/// Playwright's report as JSON, or a group of journeys in it.
#[derive(Deserialize)]
pub struct Suite {
    #[serde(default)]
    suites: Vec<Self>,
    #[serde(default)]
    specs: Vec<Spec>,
}

#[derive(Deserialize)]
struct Spec {
    title: String,
    file: String,
    line: u32,
    tests: Vec<Test>,
}

/// A journey in one project.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    project_name: String,
    status: Status,
    results: Vec<Attempt>,
}

#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Status {
    Expected,
    Flaky,
    Skipped,
    Unexpected,
}

#[derive(Deserialize)]
struct Attempt {
    /// Its time in milliseconds.
    duration: f64,
    error: Option<Fault>,
}

/// The reason why an attempt failed.
#[derive(Deserialize)]
struct Fault {
    message: Option<String>,
}

/// A journey with its name.
type Journey<'a> = (String, &'a Test);

/// Removes the report of an earlier run.
///
/// # Errors
/// If there is one and it cannot be removed.
pub fn forget(report: &Path) -> Result<(), Error> {
    match fs::remove_file(report) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed.map_err(Error::file("remove", report)),
    }
}

/// Reads a report that Playwright wrote as JSON.
///
/// # Errors
/// If there is none, or it is not one of Playwright's.
pub fn read(report: &Path) -> Result<Suite, Error> {
    let text = fs::read_to_string(report).map_err(Error::file("read", report))?;
    serde_json::from_str(&text).map_err(Error::json(report))
}

/// The ten slowest journeys of a report, a line each, slowest first.
pub fn slowest(report: &Suite) -> Vec<String> {
    let took = |test: &Test| -> f64 { test.results.iter().map(|attempt| attempt.duration).sum() };
    let mut journeys = all(report);
    journeys.sort_by(|(_, one), (_, other)| took(other).total_cmp(&took(one)));
    let slowest = journeys.into_iter().take(NAMED);
    slowest
        .map(|(name, test)| format!("{:>6.1} s  {name}", took(test) / 1000.0))
        .collect()
}

/// The journeys of a report that failed, each with the first line of its error.
pub fn failed(report: &Suite) -> Vec<String> {
    let mut journeys = all(report);
    journeys.retain(|(_, test)| test.status == Status::Unexpected);
    let line = |(name, test): (String, &Test)| {
        let faults = test.results.iter().flat_map(|attempt| &attempt.error);
        let message = faults.flat_map(|fault| &fault.message).next_back();
        let reason = message.and_then(|message| message.lines().next());
        format!("{name}: {}", plain(reason.unwrap_or("no reason is told")))
    };
    journeys.into_iter().map(line).collect()
}

/// A text without the colours of a terminal.
fn plain(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    let coloured = parts.map(|part| part.split_once('m').map_or(part, |(_, text)| text));
    first + &coloured.collect::<String>()
}

/// All journeys of a report, in its order.
fn all(suite: &Suite) -> Vec<Journey<'_>> {
    let own = suite.specs.iter().flat_map(Spec::journeys);
    own.chain(suite.suites.iter().flat_map(all)).collect()
}

impl Spec {
    /// The journey in each project.
    fn journeys(&self) -> Vec<Journey<'_>> {
        let Spec {
            title, file, line, ..
        } = self;
        let name = |test: &Test| format!("[{}] {file}:{line} {title}", test.project_name);
        self.tests.iter().map(|test| (name(test), test)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(title: &str, durations: &[u32]) -> String {
        let attempts = durations
            .iter()
            .map(|time| format!(r#"{{"duration": {time}}}"#));
        let attempts = attempts.collect::<Vec<_>>().join(",");
        format!(
            r#"{{"title": "{title}", "file": "a.spec.ts", "line": 2, "tests": [
                {{"projectName": "cpu", "status": "expected", "results": [{attempts}]}}]}}"#
        )
    }

    fn report(text: &str) -> Suite {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journeys.json");
        fs::write(&path, text).unwrap();
        read(&path).unwrap()
    }

    #[test]
    fn the_ten_slowest_are_named_with_all_their_attempts() {
        let many: Vec<String> = (0..12)
            .map(|number| spec(&format!("quick {number}"), &[number]))
            .collect();
        let report = report(&format!(
            r#"{{"config": {{}}, "suites": [{{"title": "a.spec.ts", "specs": [{}],
                "suites": [{{"title": "group", "specs": [{}]}}]}}], "errors": []}}"#,
            many.join(","),
            spec("slow", &[1000, 1520])
        ));
        let lines = slowest(&report);
        assert_eq!(lines.len(), NAMED);
        assert_eq!(lines[0], "   2.5 s  [cpu] a.spec.ts:2 slow");
        assert!(lines[1].ends_with("quick 11"), "{lines:?}");
        assert_eq!(failed(&report), [""; 0]);
    }

    #[test]
    fn a_failed_journey_is_named_with_its_last_error() {
        let report = report(
            r#"{"suites": [{"specs": [{"title": "bad", "file": "a.spec.ts", "line": 3, "tests": [
                {"projectName": "webgpu", "status": "unexpected", "results": [
                    {"duration": 1, "error": {"message": "first"}},
                    {"duration": 1, "error": {"message": "\u001b[31mError\u001b[39m: last\nmore"}}
                ]},
                {"projectName": "cpu", "status": "flaky", "results": [{"duration": 1}]}]}]}]}"#,
        );
        let lines = failed(&report);
        assert_eq!(lines, ["[webgpu] a.spec.ts:3 bad: Error: last"]);
    }

    #[test]
    fn a_report_that_is_not_there_is_forgotten_and_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journeys.json");
        fs::write(&path, "{}").unwrap();
        forget(&path).unwrap();
        forget(&path).unwrap();
        assert!(matches!(read(&path), Err(Error::File { .. })));
    }
}
