//! `cargo xtask words`: the rules of plain prose that a program can check.

mod chinese;
pub mod comments;
mod sentences;

use std::{fmt, fs, path::Path};

use self::{comments::doc_comments, sentences::long_sentences};
use crate::{
    error::Error,
    sources::{files::written, packages},
    workspace::Workspace,
};

/// Documents beside those in `docs/`.
const DOCUMENTS: [&str; 3] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];

/// A place that breaks a rule.
#[derive(Debug)]
struct Place {
    path: String,
    line: usize,
    fault: &'static str,
    text: String,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            line,
            fault,
            text,
        } = self;
        write!(formatter, "{path}:{line}: {fault}: {text}")
    }
}

/// Checks that no place breaks a rule.
///
/// # Errors
/// If places do, with a line for each, or a file cannot be read.
pub fn check(workspace: &Workspace) -> Result<(), Error> {
    let places = places(&workspace.root)?;
    match places.is_empty() {
        true => Ok(()),
        false => Err(Error::Words(places.iter().map(Place::to_string).collect())),
    }
}

fn places(root: &Path) -> Result<Vec<Place>, Error> {
    let files = written(root)?;
    let mut places = in_comments(root, &files)?;
    for path in files.iter().filter(|path| is_document(path)) {
        let place = root.join(path);
        let text = fs::read_to_string(&place).map_err(Error::file("read", &place))?;
        places.extend(long_sentences(&text).into_iter().map(|sentence| Place {
            path: path.clone(),
            line: sentence.line,
            fault: "a sentence over 40 words",
            text: sentence.text,
        }));
    }
    places.extend(in_chinese(root, &files)?);
    Ok(places)
}

fn in_chinese(root: &Path, files: &[String]) -> Result<Vec<Place>, Error> {
    let read = |path: &str| {
        let place = root.join(path);
        fs::read_to_string(&place).map_err(Error::file("read", &place))
    };
    let chinese = files.iter().filter(|path| chinese::is_chinese(path));
    let chinese: Vec<_> = chinese.collect();
    if chinese.is_empty() {
        return Ok(Vec::new());
    }
    let table = read(chinese::TERMS)?;
    let ruled_out = chinese::ruled_out(&table);
    let mut places = Vec::new();
    for path in chinese {
        let text = read(path)?;
        let found = chinese::places(&text, path.ends_with(".md"), &ruled_out);
        places.extend(found.into_iter().map(|place| Place {
            path: path.clone(),
            line: place.line,
            fault: place.fault,
            text: place.text,
        }));
    }
    Ok(places)
}

fn in_comments(root: &Path, files: &[String]) -> Result<Vec<Place>, Error> {
    let mut places = Vec::new();
    for source in packages(root, files)?
        .iter()
        .flat_map(|package| &package.sources)
    {
        for comment in doc_comments(&source.lines) {
            let faults = [
                (comment.is_short(), "a doc comment under four words"),
                (
                    comment.begins_with_question(),
                    "a doc comment that begins with a question",
                ),
            ];
            places.extend(
                faults
                    .iter()
                    .filter(|(is_there, _)| *is_there)
                    .map(|(_, fault)| Place {
                        path: source.path.clone(),
                        line: comment.line,
                        fault,
                        text: comment.text.clone(),
                    }),
            );
        }
    }
    Ok(places)
}

/// True for a document whose sentences are counted.
fn is_document(path: &str) -> bool {
    let in_docs = path.strip_prefix("docs/");
    DOCUMENTS.contains(&path)
        || in_docs.is_some_and(|name| name.ends_with(".md") && !name.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_of_the_root_and_of_docs_are_read() {
        assert!(is_document("README.md"));
        assert!(is_document("docs/building.md"));
        assert!(!is_document("app/README.md"));
        assert!(!is_document("docs/screenshots/README.md"));
    }

    #[test]
    fn places_say_where_they_are() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("Cargo.toml", "[workspace]\nmembers = [\"model\"]\n");
        write(
            "model/src/lib.rs",
            "//! The models.\n\n/// How many heads there are.\npub fn heads() {}\n",
        );
        write("README.md", &"word ".repeat(50));
        let places = places(root.path()).unwrap();
        assert_eq!(places.len(), 3);
        let question = "model/src/lib.rs:3: a doc comment that begins with a question: How many heads there are.";
        assert_eq!(places[1].to_string(), question);
    }
}
