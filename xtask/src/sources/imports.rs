//! Imports between the modules of a program, and the circles among them.
//!
//! The rooms of a program, the folders and files at the first level of its `src`, import each other in one direction: no circle
//! of imports is wider than a room.

use std::collections::{BTreeMap, BTreeSet};

use super::{Module, Package, Source, paths::paths};

/// Folders whose own folders are rooms.
const HOUSES: [&str; 1] = ["tabs"];

/// The folder of programs beside a library, each a crate for itself.
const PROGRAMS: &str = "bin";

/// The names that each name imports from.
pub type Imports = BTreeMap<String, BTreeSet<String>>;

/// The modules of a library or a program with their code.
#[derive(Debug, Default)]
pub struct Program {
    modules: BTreeMap<Module, String>,
    /// The paths that the root gives shorter names, by these names.
    re_exports: BTreeMap<String, Module>,
}

/// The library or main program of a crate, and the programs in its `bin`, by their folders.
pub fn programs(package: &Package) -> BTreeMap<String, Program> {
    let mut programs: BTreeMap<String, Program> = BTreeMap::new();
    let has_library = package
        .sources
        .iter()
        .any(|source| is_root(package, source, "lib"));
    for source in &package.sources {
        let Some(module) = package.module(source) else {
            continue;
        };
        // `main.rs` beside a library is a program that calls it.
        if has_library && is_root(package, source, "main") {
            continue;
        }
        let (folder, module) = match module.as_slice() {
            [bin, name, rest @ ..] if bin == PROGRAMS => (
                format!("{}/src/{PROGRAMS}/{name}", package.folder),
                rest.to_vec(),
            ),
            _ => (format!("{}/src", package.folder), module),
        };
        programs
            .entry(folder)
            .or_default()
            .modules
            .insert(module, code(source));
    }
    programs.values_mut().for_each(Program::find_re_exports);
    programs
}

fn is_root(package: &Package, source: &Source, name: &str) -> bool {
    source.path == format!("{}/src/{name}.rs", package.folder)
}

fn code(source: &Source) -> String {
    let lines = source.lines.iter().map(|line| line.code.as_str());
    lines.collect::<Vec<_>>().join("\n")
}

impl Program {
    /// The imports between rooms. The root imports all of them, and is none.
    pub fn between_rooms(&self) -> Imports {
        let modules: BTreeSet<&Module> = self.modules.keys().collect();
        self.imports(|path| room(path, &modules))
    }

    /// The imports between files, by the paths of their modules; the root is `crate`.
    pub fn between_files(&self) -> Imports {
        self.imports(|path| {
            let mut above = (0..=path.len()).rev().map(|length| &path[..length]);
            let file = above.find(|path| self.modules.contains_key(*path))?;
            Some(match file {
                [] => "crate".to_owned(),
                file => file.join("::"),
            })
        })
    }

    /// The imports between what `name` calls modules; those inside one name are left out.
    fn imports(&self, name: impl Fn(&[String]) -> Option<String>) -> Imports {
        let names: BTreeSet<String> = self
            .modules
            .keys()
            .filter_map(|module| name(module))
            .collect();
        let mut imports = Imports::new();
        for (module, code) in &self.modules {
            let Some(from) = name(module) else {
                continue;
            };
            let reached = paths(module, code);
            let reached = reached.iter().filter_map(|path| name(self.resolved(path)));
            let others = reached.filter(|to| *to != from && names.contains(to));
            imports.entry(from.clone()).or_default().extend(others);
        }
        imports
    }

    fn find_re_exports(&mut self) {
        let root = Module::new();
        let Some(code) = self.modules.get(&root) else {
            return;
        };
        let named = paths(&root, code).into_iter().filter(|path| path.len() > 1);
        self.re_exports = named
            .filter_map(|path| Some((path.last()?.clone(), path)))
            .collect();
    }

    /// The place of a path that begins with a name that the root re-exports.
    fn resolved<'a>(&'a self, path: &'a [String]) -> &'a [String] {
        let is_module = |name: &String| {
            self.modules
                .keys()
                .any(|module| module.first() == Some(name))
        };
        match path.first() {
            Some(first) if !is_module(first) => {
                self.re_exports.get(first).map_or(path, |path| path)
            }
            _ => path,
        }
    }
}

/// The room that a module, or something in it, belongs to; `None` of the crate's root.
fn room(path: &[String], modules: &BTreeSet<&Module>) -> Option<String> {
    let first = path.first()?;
    let second = path.get(1).filter(|second| {
        let folder = [first.clone(), (*second).clone()];
        HOUSES.contains(&first.as_str()) && modules.iter().any(|other| is_inside(other, &folder))
    });
    Some(match second {
        Some(second) => format!("{first}/{second}"),
        None => first.clone(),
    })
}

/// True if a module is below a folder.
fn is_inside(module: &[String], folder: &[String]) -> bool {
    module.len() > folder.len() && module.starts_with(folder)
}

/// The circles of imports: the names that reach each other, set by set, each in order.
pub fn circles(imports: &Imports) -> BTreeSet<Vec<&str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> = imports
        .keys()
        .map(|name| (name.as_str(), reach(imports, name)))
        .collect();
    let circles = reached.iter().map(|(name, ahead)| -> Vec<&str> {
        let is_back = |other: &&&str| {
            let back = reached.get(**other);
            back.is_some_and(|others| others.contains(name))
        };
        ahead.iter().filter(is_back).copied().collect()
    });
    circles.filter(|circle| !circle.is_empty()).collect()
}

/// The names that `name` imports from, directly or by way of others.
fn reach<'a>(imports: &'a Imports, name: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut ahead = vec![name];
    while let Some(name) = ahead.pop() {
        for next in imports.get(name).into_iter().flatten() {
            if reached.insert(next.as_str()) {
                ahead.push(next);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        sources::{files::written, lines::lines, packages},
        workspace::Workspace,
    };

    #[test]
    fn no_circle_of_imports_is_wider_than_a_room() {
        let root = Workspace::new().root;
        let packages = packages(&root, &written(&root).unwrap()).unwrap();
        let mut found = BTreeSet::new();
        for package in &packages {
            for (folder, program) in programs(package) {
                for circle in circles(&program.between_rooms()) {
                    found.insert((folder.clone(), circle.join(" ")));
                }
            }
        }
        assert!(packages.iter().any(|package| package.sources.len() > 200));
        assert_eq!(found, BTreeSet::new());
    }

    fn house(files: &[(&str, &str)]) -> Program {
        let mut program = Program::default();
        for (path, text) in files {
            let names = path.split("::").filter(|name| !name.is_empty());
            let module = names.map(str::to_owned).collect();
            let codes = lines(text).into_iter().map(|line| line.code);
            let code = codes.collect::<Vec<_>>().join("\n");
            program.modules.insert(module, code);
        }
        program.find_re_exports();
        program
    }

    #[test]
    fn a_circle_is_found_through_a_re_export_and_named() {
        let house = house(&[
            (
                "state::view",
                "use crate::widgets::{numbers::decimal, Plot};",
            ),
            ("widgets", "mod plot; pub use self::plot::Plot;"),
            (
                "widgets::plot",
                "fn width() { super::super::engine::run() }",
            ),
            (
                "engine",
                "use crate::{assets, state::view::{View as Shown, Cell}};",
            ),
            (
                "assets",
                "// use crate::state;\nfn name() -> &str { \"crate::state\" }",
            ),
        ]);
        let imports = house.between_rooms();
        let circle = vec!["engine", "state", "widgets"];
        assert_eq!(circles(&imports), BTreeSet::from([circle]));
        assert!(imports["assets"].is_empty());
    }

    #[test]
    fn a_tab_is_a_room_of_its_own() {
        let house = house(&[
            ("tabs", "mod scale; mod norms; fn all() { scale::tab(); }"),
            (
                "tabs::scale",
                "mod row; use super::norms::layer; use self::row::Row;",
            ),
            (
                "tabs::scale::row",
                "mod tests { use super::*; use super::super::Shown; }",
            ),
            ("tabs::norms", ""),
            ("tabs::norms::axes", "use crate::tabs::title;"),
        ]);
        let imports = house.between_rooms();
        let circle = vec!["tabs", "tabs/norms", "tabs/scale"];
        assert_eq!(circles(&imports), BTreeSet::from([circle]));
    }

    #[test]
    fn a_name_of_the_root_is_where_the_root_has_it_from() {
        let house = house(&[
            ("", "mod spec; mod trace; pub use spec::{ModelSpec, Norm};"),
            ("spec", "use crate::trace::Trace;"),
            ("trace", "use crate::ModelSpec;"),
        ]);
        let imports = house.between_rooms();
        assert_eq!(circles(&imports), BTreeSet::from([vec!["spec", "trace"]]));
    }

    #[test]
    fn files_of_one_room_are_told_apart() {
        let house = house(&[
            ("tap", "mod edits; mod probes; use self::edits::Edits;"),
            ("tap::edits", "use super::probes::Probe;"),
            ("tap::probes", "use super::edits::Edits;"),
        ]);
        assert!(circles(&house.between_rooms()).is_empty());
        let imports = house.between_files();
        let circle = vec!["tap::edits", "tap::probes"];
        assert_eq!(circles(&imports), BTreeSet::from([circle]));
    }
}
