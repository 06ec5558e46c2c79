//! The journeys that took longest, out of Playwright's report.

use std::{fs, io::ErrorKind, path::Path};

use serde::Deserialize;

use crate::error::Error;

/// The number of journeys that are named.
const NAMED: usize = 10;

/// Playwright's report as JSON, or a group of journeys in it.
#[derive(Deserialize)]
struct Suite {
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
    results: Vec<Attempt>,
}

#[derive(Deserialize)]
struct Attempt {
    /// Its time in milliseconds.
    duration: f64,
}

/// A journey and its time in milliseconds, all attempts together.
type Journey = (f64, String);

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

/// The ten slowest journeys of a report, a line each, slowest first.
///
/// # Errors
/// If the report cannot be read.
pub fn slowest(report: &Path) -> Result<Vec<String>, Error> {
    let text = fs::read_to_string(report).map_err(Error::file("read", report))?;
    let suite: Suite = serde_json::from_str(&text).map_err(Error::json(report))?;
    let mut journeys = Vec::new();
    collect(&suite, &mut journeys);
    journeys.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let slowest = journeys.into_iter().take(NAMED);
    Ok(slowest
        .map(|(time, name)| format!("{:>6.1} s  {name}", time / 1000.0))
        .collect())
}

fn collect(suite: &Suite, journeys: &mut Vec<Journey>) {
    for spec in &suite.specs {
        for test in &spec.tests {
            let Spec {
                title, file, line, ..
            } = spec;
            let time = test.results.iter().map(|attempt| attempt.duration).sum();
            journeys.push((
                time,
                format!("[{}] {file}:{line} {title}", test.project_name),
            ));
        }
    }
    for suite in &suite.suites {
        collect(suite, journeys);
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
                {{"projectName": "cpu", "results": [{attempts}]}}]}}"#
        )
    }

    #[test]
    fn the_ten_slowest_are_named_with_all_their_attempts() {
        let many: Vec<String> = (0..12)
            .map(|number| spec(&format!("quick {number}"), &[number]))
            .collect();
        let report = format!(
            r#"{{"config": {{}}, "suites": [{{"title": "a.spec.ts", "specs": [{}],
                "suites": [{{"title": "group", "specs": [{}]}}]}}], "errors": []}}"#,
            many.join(","),
            spec("slow", &[1000, 1520])
        );
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journeys.json");
        fs::write(&path, report).unwrap();
        let lines = slowest(&path).unwrap();
        assert_eq!(lines.len(), NAMED);
        assert_eq!(lines[0], "   2.5 s  [cpu] a.spec.ts:2 slow");
        assert!(lines[1].ends_with("quick 11"), "{lines:?}");
    }

    #[test]
    fn a_report_that_is_not_there_is_forgotten_and_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journeys.json");
        fs::write(&path, "{}").unwrap();
        forget(&path).unwrap();
        forget(&path).unwrap();
        assert!(matches!(slowest(&path), Err(Error::File { .. })));
    }
}
