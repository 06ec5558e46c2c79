//! The programs of formulas: one file for all of them, which the page fetches when the first is opened, and a mark in a
//! chapter's HTML for each.

use std::{collections::BTreeMap, fs, path::Path};

use attention_trace::snippets::read;
use serde::Deserialize;

use super::entry::Entry;
use crate::{error::Error, workspace::Workspace};

/// The folder with the programs, and their table.
const FOLDER: &str = "app/chapters/snippets";

/// The address of the file with all programs.
const SERVED: &str = "snippets.json";

/// The beginning of a formula in HTML, and the class of a second form, which has the program of the first.
const FORMULA: (&str, &str) = (r#"<span class="display-math"#, " in-columns");

/// A formula's place in the table.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged)]
pub enum Formula {
    /// The name of its program.
    Program(String),
    /// The reason why it has none.
    Without {
        /// The reason, for readers of the table.
        without: String,
    },
}

impl Formula {
    fn program(&self) -> Option<&str> {
        match self {
            Formula::Program(name) => Some(name),
            Formula::Without { .. } => None,
        }
    }
}

/// The formulas of a chapter's text by part, in their order.
pub type Chapter = BTreeMap<String, Vec<Formula>>;

/// The formulas of all chapters.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct Table(BTreeMap<String, Chapter>);

impl Table {
    /// Reads `table.toml` of the programs.
    ///
    /// # Errors
    /// If the file cannot be read or is no such table.
    pub fn read(workspace: &Workspace) -> Result<Self, Error> {
        let path = workspace.root.join(FOLDER).join("table.toml");
        let text = fs::read_to_string(&path).map_err(Error::file("read", &path))?;
        toml::from_str(&text).map_err(|source| Error::Toml { path, source })
    }

    /// Returns the formulas of a chapter; none if it has no programs.
    pub fn chapter(&self, name: &str) -> Chapter {
        self.0.get(name).cloned().unwrap_or_default()
    }
}

/// The file with the programs in every library, by name.
///
/// # Errors
/// If a program cannot be read, or the file cannot be written.
pub fn programs(workspace: &Workspace) -> Result<Entry, Error> {
    let folder = workspace.root.join(FOLDER);
    let templates = read(&folder).map_err(Error::file("read", &folder))?;
    let to = workspace.cache().join(SERVED);
    let text = serde_json::to_string(&templates)?;
    fs::write(&to, text).map_err(Error::file("write", &to))?;
    Ok(Entry::new(SERVED, to))
}

/// The name of the chapter of a text `follow/en/text.md`; `None` for other texts.
pub fn chapter_of(path: &Path) -> Option<&str> {
    let is_text = path.file_name()? == "text.md";
    let folder = path.parent()?.parent()?;
    is_text.then(|| folder.file_name()?.to_str()).flatten()
}

/// Returns a part's HTML with a mark for each program, after the paragraph of its last formula.
pub fn marked(html: &str, formulas: &[Formula]) -> String {
    let mut places = BTreeMap::new();
    for (formula, start) in formulas.iter().zip(starts(html)) {
        let paragraph = html[start..].find("</p>");
        let end = paragraph.map_or(html.len(), |length| start + length + "</p>".len());
        if let Some(name) = formula.program() {
            places.insert(name, end);
        }
    }
    let mut places: Vec<(usize, &str)> =
        places.into_iter().map(|(name, end)| (end, name)).collect();
    // Programs after the same paragraph stand in the order of their formulas.
    places.sort_by_key(|(end, name)| {
        let first = formulas
            .iter()
            .position(|formula| formula.program() == Some(name));
        (*end, first)
    });
    let (mut marked, mut done) = (String::new(), 0);
    for (end, name) in places {
        marked.push_str(&html[done..end]);
        marked.push_str(&format!(r#"<hr data-snippet="{name}">"#));
        done = end;
    }
    marked + &html[done..]
}

/// The places where formulas begin; of one with two forms the first.
fn starts(html: &str) -> Vec<usize> {
    let (formula, second) = FORMULA;
    let starts = html.match_indices(formula).map(|(start, _)| start);
    starts
        .filter(|start| !html[start + formula.len()..].starts_with(second))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::chapters;
    use super::*;

    fn named(names: &[&str]) -> Vec<Formula> {
        names
            .iter()
            .map(|name| Formula::Program((*name).to_owned()))
            .collect()
    }

    #[test]
    fn a_program_follows_the_paragraph_of_its_last_formula() {
        let formula = r#"<p><span class="display-math">a</span></p>"#;
        let rows = r#"<p><span class="display-math in-rows">a</span><span class="display-math in-columns">b</span></p>"#;
        let html = format!("{formula}{rows}{formula}");
        let expected =
            format!(r#"{formula}{rows}<hr data-snippet="one">{formula}<hr data-snippet="two">"#);
        assert_eq!(marked(&html, &named(&["one", "one", "two"])), expected);
        let without = Formula::Without {
            without: "said in words".to_owned(),
        };
        assert_eq!(marked(formula, &[without]), formula);
    }

    /// Every displayed formula of every language has its line in the table, and every program is used.
    #[test]
    fn the_table_has_every_formula() {
        let workspace = Workspace::new();
        let table = Table::read(&workspace).unwrap();
        let mut faults = Vec::new();
        let mut texts = 0;
        for (path, parts) in chapters::made(&workspace) {
            let Some(chapter) = chapter_of(&path) else {
                continue;
            };
            texts += 1;
            let chapter = table.chapter(chapter);
            let parts: BTreeMap<_, _> = parts.into_iter().collect();
            for part in chapter.keys().filter(|part| !parts.contains_key(*part)) {
                faults.push(format!("{}: no part {part}", path.display()));
            }
            for (part, html) in &parts {
                let [has, listed] = [starts(html).len(), chapter.get(part).map_or(0, Vec::len)];
                if has != listed {
                    faults.push(format!(
                        "{} {part}: {has} formulas, {listed} listed",
                        path.display()
                    ));
                }
            }
        }
        assert!(texts > 50, "{texts}");
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        let formulas = || table.0.values().flat_map(BTreeMap::values).flatten();
        let used: BTreeSet<&str> = formulas().filter_map(Formula::program).collect();
        let templates = read(&workspace.root.join(FOLDER)).unwrap();
        let there: BTreeSet<&str> = templates.keys().map(String::as_str).collect();
        assert_eq!(used, there);
        for formula in formulas() {
            if let Formula::Without { without } = formula {
                assert!(without.split(' ').count() > 3, "{without}");
            }
        }
    }

    /// A mark divides the text, so it stands between the blocks of a part and in none of them.
    #[test]
    fn marks_stand_in_no_list() {
        let workspace = Workspace::new();
        let mut marks = 0;
        for (path, parts) in chapters::made(&workspace) {
            for (part, html) in parts {
                for (mark, _) in html.match_indices("<hr data-snippet") {
                    marks += 1;
                    for tag in ["ul", "ol", "li", "blockquote", "table", "p"] {
                        let count = |tag: &str| html[..mark].matches(tag).count();
                        let opened = count(&format!("<{tag}>"));
                        let closed = count(&format!("</{tag}>"));
                        assert_eq!(opened, closed, "{} {part} <{tag}>", path.display());
                    }
                }
            }
        }
        assert!(marks > 50, "{marks}");
    }
}
