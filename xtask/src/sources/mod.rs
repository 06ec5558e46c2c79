//! The sources of this repository as programs look at them: files, lines, and which module imports which.

pub mod files;
pub mod imports;
pub mod lines;
mod paths;

use std::{collections::BTreeSet, fs, path::Path};

use toml::Table;

use self::lines::{Line, lines};
use crate::error::Error;

/// A crate of the workspace.
#[derive(Debug)]
pub struct Package {
    /// Its folder, relative to the repository.
    pub folder: String,
    /// Its Rust files, in order of their paths.
    pub sources: Vec<Source>,
}

/// A Rust file of a crate.
#[derive(Debug)]
pub struct Source {
    /// Its path, relative to the repository.
    pub path: String,
    /// The folder of the first level below `src` that it is in or names; else the folder that it is in.
    pub room: String,
    /// All of its lines; each is a test if the file is compiled for tests alone.
    pub lines: Vec<Line>,
}

/// Reads the crates of the workspace.
///
/// # Errors
/// If the workspace's manifest or a source cannot be read.
pub fn packages(root: &Path, files: &[String]) -> Result<Vec<Package>, Error> {
    let members = members(root)?;
    let folders = folders(files);
    let mut packages: Vec<Package> = members
        .iter()
        .map(|folder| Package {
            folder: folder.clone(),
            sources: Vec::new(),
        })
        .collect();
    for path in files.iter().filter(|path| path.ends_with(".rs")) {
        // A crate may lie in the folder of another.
        let owner = packages
            .iter_mut()
            .filter(|package| inside(path, &package.folder).is_some())
            .max_by_key(|package| package.folder.len());
        let Some(package) = owner else { continue };
        let place = root.join(path);
        let text = fs::read_to_string(&place).map_err(Error::file("read", &place))?;
        package.sources.push(Source {
            path: path.clone(),
            room: room(path, &package.folder, &folders),
            lines: lines(&text),
        });
    }
    packages.iter_mut().for_each(mark_test_files);
    Ok(packages)
}

fn members(root: &Path) -> Result<Vec<String>, Error> {
    let path = root.join("Cargo.toml");
    let text = fs::read_to_string(&path).map_err(Error::file("read", &path))?;
    let manifest: Table = toml::from_str(&text).map_err(|source| Error::Toml { path, source })?;
    let members = manifest["workspace"]["members"].as_array();
    let names = members.into_iter().flatten();
    Ok(names
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect())
}

/// All folders that the files are in.
fn folders(files: &[String]) -> BTreeSet<&str> {
    files
        .iter()
        .flat_map(|path| path.match_indices('/').map(|(at, _)| &path[..at]))
        .collect()
}

/// The rest of a path below a folder.
fn inside<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    path.strip_prefix(folder)?.strip_prefix('/')
}

fn room(path: &str, package: &str, folders: &BTreeSet<&str>) -> String {
    let source = format!("{package}/src");
    let base = match inside(path, &source) {
        Some(_) => source.as_str(),
        None => package,
    };
    let rest = inside(path, base).unwrap_or(path);
    let first = rest.split('/').next().unwrap_or(rest);
    let folder = format!("{base}/{}", first.trim_end_matches(".rs"));
    match folders.contains(folder.as_str()) {
        true => folder,
        false => base.to_owned(),
    }
}

/// The path of a module: `crate::state::view` is `["state", "view"]`.
pub type Module = Vec<String>;

impl Package {
    /// The module that a source of this crate is, if it is part of the library or the main program.
    fn module(&self, source: &Source) -> Option<Module> {
        let rest = inside(&source.path, &self.folder)?.strip_prefix("src/")?;
        let mut module: Module = rest
            .trim_end_matches(".rs")
            .split('/')
            .map(str::to_owned)
            .collect();
        if module
            .last()
            .is_some_and(|name| ["lib", "main", "mod"].contains(&name.as_str()))
        {
            module.pop();
        }
        Some(module)
    }
}

/// Marks what is compiled for tests alone: files in folders `tests`, and modules that are declared in a test.
fn mark_test_files(package: &mut Package) {
    let declared: BTreeSet<Module> = package
        .sources
        .iter()
        .filter_map(|source| Some((package.module(source)?, source)))
        .flat_map(|(module, source)| {
            let names = source.lines.iter().filter(|line| line.is_test);
            let names = names.filter_map(|line| declared_module(&line.code));
            names.map(move |name| [module.as_slice(), &[name.to_owned()]].concat())
        })
        .collect();
    let are_tests: Vec<bool> = package
        .sources
        .iter()
        .map(|source| {
            let module = package.module(source).unwrap_or_default();
            let is_declared = (1..=module.len()).any(|length| declared.contains(&module[..length]));
            is_declared || source.path.split('/').any(|part| part == "tests")
        })
        .collect();
    for (source, _) in package
        .sources
        .iter_mut()
        .zip(are_tests)
        .filter(|(_, is_test)| *is_test)
    {
        source.lines.iter_mut().for_each(|line| line.is_test = true);
    }
}

/// The name in a line such as `pub(super) mod tests;`.
fn declared_module(code: &str) -> Option<&str> {
    let (before, name) = code.trim().strip_suffix(';')?.rsplit_once(' ')?;
    (before == "mod" || before.ends_with(" mod")).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_room_is_a_folder_below_src_with_the_file_that_names_it() {
        let files = [
            "model/src/lib.rs",
            "model/src/tap.rs",
            "model/src/tap/edits/one.rs",
            "model/build.rs",
            "model/tests/cli/main.rs",
        ]
        .map(str::to_owned);
        let folders = folders(&files);
        let rooms = files.each_ref().map(|path| room(path, "model", &folders));
        let expected = [
            "model/src",
            "model/src/tap",
            "model/src/tap",
            "model",
            "model/tests",
        ];
        assert_eq!(rooms, expected);
    }

    #[test]
    fn modules_that_are_declared_for_tests_are_tests() {
        let source = |path: &str, text: &str| Source {
            path: path.to_owned(),
            room: String::new(),
            lines: lines(text),
        };
        let mut package = Package {
            folder: "model".to_owned(),
            sources: vec![
                source(
                    "model/src/config/mod.rs",
                    "#[cfg(test)]\nmod fixtures;\nmod gru;\n",
                ),
                source("model/src/config/fixtures.rs", "fn a() {}\n"),
                source("model/src/config/gru.rs", "fn a() {}\n"),
                source("model/tests/cli/main.rs", "fn a() {}\n"),
            ],
        };
        mark_test_files(&mut package);
        let tests = package.sources.iter().map(|source| source.lines[0].is_test);
        assert_eq!(tests.collect::<Vec<_>>(), [true, true, false, true]);
    }
}
