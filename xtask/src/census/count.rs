//! The numbers of the repository.

use std::{collections::BTreeMap, fs, path::Path};

use serde::Serialize;

use super::{
    names,
    room::{self, Room},
};
use crate::{
    error::Error,
    process::{command, read},
    sources::{
        Package,
        files::written,
        imports::{Imports, circles, programs},
        packages,
    },
};

/// Languages beside Rust, by the endings of their files.
const LANGUAGES: [(&str, &[&str]); 4] = [
    ("TypeScript", &["ts"]),
    ("JavaScript", &["js", "mjs"]),
    ("CSS", &["css"]),
    ("Python", &["py"]),
];

/// Documents whose sizes are counted.
const DOCUMENTS: [&str; 2] = ["ARCHITECTURE.md", "README.md"];

/// Folders of crates that know models.
const KNOW_MODELS: [&str; 2] = ["app/", "model/"];

/// All numbers of the repository.
#[derive(Debug, Serialize)]
pub struct Census {
    /// The numbers of each crate.
    pub crates: BTreeMap<String, Room>,
    /// The numbers of each room.
    pub rooms: BTreeMap<String, Room>,
    /// Lines of other languages.
    pub lines: BTreeMap<&'static str, usize>,
    /// Circles of imports in each library or program that has one.
    pub circles: BTreeMap<String, Circles>,
    /// Rust files of `app` and `model` that name a served model outside tests.
    pub files_that_name_models: usize,
    /// Queues of questions in the engine's state machine.
    pub question_queues: usize,
    /// Sizes of documents in bytes.
    pub documents: BTreeMap<&'static str, u64>,
    /// Pictures that git keeps.
    pub pictures: usize,
    /// Crates of others with changes.
    pub third_party: usize,
}

/// Circles of imports in a library or program, each as the names in it.
#[derive(Clone, Debug, Serialize)]
pub struct Circles {
    pub between_rooms: Vec<Vec<String>>,
    pub between_files: Vec<Vec<String>>,
}

/// Counts a checkout of the repository.
///
/// # Errors
/// If a file cannot be read, or git does not answer.
pub fn count(root: &Path) -> Result<Census, Error> {
    let files = written(root)?;
    let packages = packages(root, &files)?;
    let sources = || packages.iter().flat_map(|package| &package.sources);
    let addresses = names::served_addresses(&files);
    let pictures = read(&mut command("git", &["ls-files", "*.png"], root))?;
    Ok(Census {
        crates: room::by(&packages, |package, _| &package.folder),
        rooms: room::by(&packages, |_, source| &source.room),
        lines: languages(root, &files)?,
        circles: all_circles(&packages),
        files_that_name_models: sources()
            .filter(|source| {
                KNOW_MODELS
                    .iter()
                    .any(|folder| source.path.starts_with(folder))
            })
            .filter(|source| names::names_served_model(&source.lines, &addresses))
            .count(),
        question_queues: sources()
            .filter(|source| names::is_question_queue(source))
            .count(),
        documents: documents(root)?,
        pictures: pictures.lines().count(),
        third_party: third_party(&files),
    })
}

fn languages(root: &Path, files: &[String]) -> Result<BTreeMap<&'static str, usize>, Error> {
    let mut lines = BTreeMap::new();
    for (language, endings) in LANGUAGES {
        let mut count = 0;
        for path in files.iter().filter(|path| has_ending(path, endings)) {
            let path = root.join(path);
            let text = fs::read_to_string(&path).map_err(Error::file("read", &path))?;
            count += text.lines().count();
        }
        lines.insert(language, count);
    }
    Ok(lines)
}

fn has_ending(path: &str, endings: &[&str]) -> bool {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| endings.contains(&ending))
}

fn documents(root: &Path) -> Result<BTreeMap<&'static str, u64>, Error> {
    let size = |name: &'static str| {
        let path = root.join(name);
        let about = fs::metadata(&path).map_err(Error::file("read", &path))?;
        Ok((name, about.len()))
    };
    DOCUMENTS.into_iter().map(size).collect()
}

fn third_party(files: &[String]) -> usize {
    let manifests = files.iter().filter(|path| {
        let mut parts = path.split('/');
        parts.next() == Some("third-party") && parts.nth(1) == Some("Cargo.toml")
    });
    manifests.count()
}

fn all_circles(packages: &[Package]) -> BTreeMap<String, Circles> {
    let mut found = BTreeMap::new();
    for (folder, program) in packages.iter().flat_map(programs) {
        let circles = Circles {
            between_rooms: named_circles(&program.between_rooms()),
            between_files: named_circles(&program.between_files()),
        };
        if !circles.between_files.is_empty() {
            found.insert(folder, circles);
        }
    }
    found
}

fn named_circles(imports: &Imports) -> Vec<Vec<String>> {
    let circles = circles(imports).into_iter();
    circles
        .map(|circle| circle.into_iter().map(str::to_owned).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Workspace;

    #[test]
    fn files_are_told_by_their_endings() {
        assert!(has_ending("tests/a.test.mjs", &["js", "mjs"]));
        assert!(!has_ending("tests/ts", &["ts"]));
    }

    #[test]
    fn a_crate_of_others_has_a_manifest_in_its_folder() {
        let files = [
            "third-party/a/Cargo.toml",
            "third-party/a/b/Cargo.toml",
            "third-party/c/src/lib.rs",
            "app/Cargo.toml",
        ];
        assert_eq!(third_party(&files.map(str::to_owned)), 1);
    }

    #[test]
    fn the_repository_can_be_counted() {
        let census = count(&Workspace::new().root).unwrap();
        let rooms: usize = census.rooms.values().map(|room| room.code).sum();
        let crates: usize = census.crates.values().map(|room| room.code).sum();
        assert_eq!(rooms, crates);
        assert!(census.rooms["xtask/src/census"].code > 100);
    }
}
