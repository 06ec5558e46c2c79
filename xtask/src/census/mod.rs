//! `cargo xtask census`: counts what the repository consists of, so that two states of it can be compared.

mod names;
mod room;
mod silence;
mod table;

use std::{collections::BTreeMap, fs, path::Path};

use clap::Args;
use serde::Serialize;

use self::room::Room;
use crate::{
    error::Error,
    process::{command, read},
    sources::{
        Package,
        files::written,
        imports::{circles, programs},
        packages,
    },
    workspace::Workspace,
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

/// The form of the numbers.
#[derive(Args)]
pub struct Options {
    /// Print the numbers as JSON
    #[arg(long)]
    json: bool,
}

/// All numbers of the repository.
#[derive(Debug, Serialize)]
struct Census {
    /// The numbers of each crate.
    crates: BTreeMap<String, Room>,
    /// The numbers of each room.
    rooms: BTreeMap<String, Room>,
    /// Lines of other languages.
    lines: BTreeMap<&'static str, usize>,
    /// Circles of imports in each library or program that has one.
    circles: BTreeMap<String, Circles>,
    /// Rust files of `app` and `model` that name a served model outside tests.
    files_that_name_models: usize,
    /// Queues of questions in the engine's state machine.
    question_queues: usize,
    /// Sizes of documents in bytes.
    documents: BTreeMap<&'static str, u64>,
    /// Pictures that git keeps.
    pictures: usize,
    /// Crates of others with changes.
    third_party: usize,
}

/// Circles of imports in a library or program.
#[derive(Clone, Copy, Debug, Serialize)]
struct Circles {
    /// The number of circles between rooms.
    between_rooms: usize,
    /// The number of circles between files.
    between_files: usize,
    /// The number of files that are in one.
    files: usize,
}

/// Counts and prints.
///
/// # Errors
/// If a file cannot be read, or git does not answer.
pub fn census(workspace: &Workspace, options: &Options) -> Result<(), Error> {
    let census = count(workspace)?;
    match options.json {
        true => println!("{}", serde_json::to_string_pretty(&census)?),
        false => print!("{}", table::table(&census)),
    }
    Ok(())
}

fn count(workspace: &Workspace) -> Result<Census, Error> {
    let root = &workspace.root;
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
        let between_files = program.between_files();
        let circles_of_files = circles(&between_files);
        if !circles_of_files.is_empty() {
            let count = Circles {
                between_rooms: circles(&program.between_rooms()).len(),
                between_files: circles_of_files.len(),
                files: circles_of_files.iter().map(Vec::len).sum(),
            };
            found.insert(folder, count);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let census = count(&Workspace::new()).unwrap();
        let rooms: usize = census.rooms.values().map(|room| room.code).sum();
        let crates: usize = census.crates.values().map(|room| room.code).sum();
        assert_eq!(rooms, crates);
        assert!(census.rooms["xtask/src/census"].code > 100);
        assert!(table::table(&census).contains("xtask/src/census"));
    }
}
