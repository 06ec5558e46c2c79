//! Tests of the table of what the lecture notes teach: its views open, its tests exist, and the weeks of the route lead
//! to its chapters.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use super::routes::{root, routes};
use attention_core::state::{Tab, View};

/// The number of things that the notes teach.
const ROWS: usize = 122;

/// A row of the table.
struct Row {
    number: String,
    /// Complete, partly or missing.
    state: String,
    /// The view, as in an address.
    link: String,
    /// Names of functions and titles of journeys; "text" for none.
    tests: String,
    weeks: String,
}

fn rows() -> Vec<Row> {
    let text = fs::read_to_string(root().join("docs/coverage.md")).unwrap();
    let rows = text.lines().filter_map(|line| {
        // A bar within a cell is escaped.
        let line = line.replace("\\|", "¦");
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [number, _, _, state, link, _, tests, weeks] = cells[..] else {
            return None;
        };
        number.parse::<usize>().ok()?;
        Some(Row {
            number: number.to_owned(),
            state: state.to_owned(),
            link: link.trim_matches(['`', '#']).to_owned(),
            tests: tests.to_owned(),
            weeks: weeks.to_owned(),
        })
    });
    rows.collect()
}

/// Returns what a link opens: a chapter, or the link itself outside of the chapters.
fn opened(link: &str) -> String {
    let view = super::view(link);
    match view.tab {
        Tab::Learn => view.chapters.open.clone(),
        _ => link.to_owned(),
    }
}

/// Returns the text of all files below a folder with an ending.
fn sources(folder: &Path, ending: &str, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        match path.is_dir() {
            true if path.ends_with("target") || path.ends_with("node_modules") => {}
            true => sources(&path, ending, text),
            false if path.extension().is_some_and(|found| found == ending) => {
                text.push_str(&fs::read_to_string(&path).unwrap());
            }
            false => {}
        }
    }
}

#[test]
fn every_row_has_its_number_and_the_states_are_counted() {
    let rows = rows();
    assert_eq!(rows.len(), ROWS);
    for (row, number) in rows.iter().zip(1..) {
        assert_eq!(row.number, number.to_string());
    }
    let count = |state| rows.iter().filter(|row| row.state == state).count();
    let counts = [count("●"), count("◐"), count("○")];
    assert_eq!(counts.iter().sum::<usize>(), ROWS);
    let text = fs::read_to_string(root().join("docs/coverage.md")).unwrap();
    let [complete, partly, missing] = counts;
    let said = format!("● complete, {complete} rows; ◐ partly, {partly}; ○ missing, {missing}.");
    assert!(text.contains(&said), "{said}");
}

#[test]
fn every_view_opens_and_the_weeks_lead_there() {
    attention_chapters::install();
    let routes = routes();
    for row in rows() {
        let spelled = View::from_fragment(&row.link).to_fragment();
        let spelled: BTreeSet<_> = spelled.split('&').collect();
        let entries = row.link.split('&');
        for entry in entries.filter(|entry| !entry.starts_with("chapter=")) {
            assert!(spelled.contains(entry), "{}: {entry}", row.number);
        }
        let there = opened(&row.link);
        let weeks = (1..=4).filter(|week| {
            let name = format!("week-{week}");
            let route = routes.iter().find(|route| route.name == name).unwrap();
            let lessons = &route.stops[1..route.stops.len() - 1];
            lessons.iter().any(|stop| opened(&stop.link) == there)
        });
        let weeks: Vec<_> = weeks.map(|week| week.to_string()).collect();
        assert!(!weeks.is_empty(), "{}: {there}", row.number);
        assert_eq!(weeks.join(", "), row.weeks, "{}: {there}", row.number);
    }
}

#[test]
fn every_test_that_is_named_exists() {
    let mut text = String::new();
    for (folder, ending) in [
        ("model", "rs"),
        ("app", "rs"),
        ("tests/parity", "rs"),
        ("tests/e2e/journeys", "ts"),
    ] {
        sources(&root().join(folder), ending, &mut text);
    }
    for row in rows() {
        let functions = row.tests.split('`').skip(1).step_by(2);
        let journeys = row.tests.split('"').skip(1).step_by(2);
        let sought = functions
            .map(|name| format!("fn {name}("))
            .chain(journeys.map(|title| format!("\"{title}\"")));
        let sought: Vec<_> = sought.collect();
        assert!(!sought.is_empty() || row.tests == "text", "{}", row.number);
        for sought in sought {
            assert!(text.contains(&sought), "{}: {sought}", row.number);
        }
    }
}
