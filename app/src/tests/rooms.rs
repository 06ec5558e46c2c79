//! The rooms of the page, the folders of its three crates, import each other in one direction: no circle of imports is
//! wider than a folder. In `tabs` each folder is a room of its own.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// Folders whose own folders are rooms.
const HOUSES: [&str; 1] = ["tabs"];

/// The crates of the page, seen from this one; cargo refuses circles between them.
const CRATES: [&str; 3] = ["", "chapters", "core"];

/// Which rooms a room imports from.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// The modules of a path: `crate::state::view` is `["state", "view"]`.
type Module = Vec<String>;

#[test]
fn no_circle_of_imports_is_wider_than_a_folder() {
    for name in CRATES {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        let sources = sources(&folder.join("src"));
        assert!(sources.len() > 50, "{} files", sources.len());
        let imports = imports(&sources);
        let circles = circles(&imports);
        assert!(circles.is_empty(), "circles of imports: {circles:#?}");
    }
}

/// The text of every file by its module.
fn sources(root: &Path) -> BTreeMap<Module, String> {
    let mut sources = BTreeMap::new();
    let mut folders = vec![(root.to_owned(), Module::new())];
    while let Some((folder, module)) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            let child = [module.as_slice(), &[name.to_owned()]].concat();
            if path.is_dir() {
                folders.push((path, child));
            } else if ["lib", "main", "mod"].contains(&name) {
                sources.insert(module.clone(), fs::read_to_string(path).unwrap());
            } else {
                sources.insert(child, fs::read_to_string(path).unwrap());
            }
        }
    }
    sources
}

/// The room that a module, or something in it, belongs to; `None` of the crate's root.
fn room(path: &[String], modules: &BTreeSet<&Module>) -> Option<String> {
    let first = path.first()?;
    let second = path.get(1).filter(|second| {
        let folder = vec![first.clone(), (*second).clone()];
        HOUSES.contains(&first.as_str()) && modules.iter().any(|other| is_inside(other, &folder))
    });
    Some(match second {
        Some(second) => format!("{first}/{second}"),
        None => first.clone(),
    })
}

/// Whether a module is below a folder.
fn is_inside(module: &[String], folder: &[String]) -> bool {
    module.len() > folder.len() && module.starts_with(folder)
}

fn imports(sources: &BTreeMap<Module, String>) -> Imports {
    let modules: BTreeSet<&Module> = sources.keys().collect();
    let rooms: BTreeSet<String> = modules
        .iter()
        .filter_map(|module| room(module, &modules))
        .collect();
    let mut imports = Imports::new();
    for (module, text) in sources {
        let Some(from) = room(module, &modules) else {
            continue;
        };
        let reached = paths(module, &code(text));
        let reached = reached.iter().filter_map(|path| room(path, &modules));
        let others = reached.filter(|to| *to != from && rooms.contains(to));
        imports.entry(from.clone()).or_default().extend(others);
    }
    imports
}

/// Rooms that reach each other, circle by circle.
fn circles(imports: &Imports) -> BTreeSet<Vec<&str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> = imports
        .keys()
        .map(|room| (room.as_str(), reach(imports, room)))
        .collect();
    let circle = |room: &&str| -> Vec<&str> {
        let back = |other: &&&str| {
            reached
                .get(**other)
                .is_some_and(|others| others.contains(*room))
        };
        reached[*room].iter().filter(back).copied().collect()
    };
    let rooms = reached.keys().copied();
    let rooms: Vec<&str> = rooms.collect();
    rooms
        .iter()
        .map(circle)
        .filter(|circle| !circle.is_empty())
        .collect()
}

/// Every room that `room` imports from, directly or by way of others.
fn reach<'a>(imports: &'a Imports, room: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut ahead = vec![room];
    while let Some(room) = ahead.pop() {
        for next in imports.get(room).into_iter().flatten() {
            if reached.insert(next.as_str()) {
                ahead.push(next);
            }
        }
    }
    reached
}

/// The text without comments, and without the contents of strings.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(['/', '"', '\'']) {
        let (before, ahead) = rest.split_at(start);
        code.push_str(before);
        let length = match ahead {
            _ if ahead.starts_with("//") => ahead.find('\n').unwrap_or(ahead.len()),
            _ if ahead.starts_with("'\"'") => 3,
            _ if ahead.starts_with('"') => string_length(ahead, before.ends_with('#')),
            _ => 1,
        };
        rest = &ahead[length..];
    }
    code + rest
}

/// How long a string literal is, which begins with its quotation mark.
fn string_length(text: &str, is_raw: bool) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|&(at, character)| {
        let ends = match is_raw {
            true => text[at..].starts_with("\"#"),
            false => character == '"' && !escaped,
        };
        escaped = character == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// All paths inside the crate that the code of a module names.
fn paths(module: &[String], code: &str) -> Vec<Module> {
    let tokens = tokens(code);
    let declared: BTreeSet<&str> = tokens
        .windows(3)
        .filter(|tokens| tokens[0] == "mod" && tokens[2] == ";")
        .map(|tokens| tokens[1])
        .collect();
    let mut found = Vec::new();
    let mut inline = Vec::new();
    let mut depth = 0;
    for (at, &token) in tokens.iter().enumerate() {
        match token {
            "{" => {
                // What `super` means depends on the modules that are written inside this one.
                if at >= 2 && tokens[at - 2] == "mod" {
                    inline.push((tokens[at - 1], depth));
                }
                depth += 1;
            }
            "}" => {
                depth -= 1;
                inline.pop_if(|(_, opened)| *opened == depth);
            }
            _ => {}
        }
        let is_start = at == 0 || tokens[at - 1] != "::";
        let is_path = tokens.get(at + 1) == Some(&"::");
        let is_ours = ["crate", "self", "super"].contains(&token) || declared.contains(token);
        if is_start && is_path && is_ours {
            let inline = inline.iter().map(|(name, _)| (*name).to_owned());
            let here: Module = module.iter().cloned().chain(inline).collect();
            tree(&tokens[at..], here, &mut found);
        }
    }
    found
}

/// Identifiers, `::` and single signs.
fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match first {
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            ':' if rest.starts_with("::") => 2,
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        tokens.push(token);
        rest = after.trim_start();
    }
    tokens
}

/// Collects the paths of a tree such as `super::{a::B, c}`, which begins at `from`; returns how many tokens it has.
fn tree(tokens: &[&str], from: Module, found: &mut Vec<Module>) -> usize {
    let mut path = from;
    let mut at = 0;
    loop {
        match tokens.get(at).copied() {
            Some("{") => {
                at += 1;
                while !matches!(tokens.get(at).copied(), Some("}") | None) {
                    at += match tokens[at] {
                        "," => 1,
                        _ => tree(&tokens[at..], path.clone(), found),
                    };
                }
                return at + 1;
            }
            Some("crate") => path.clear(),
            Some("super") => {
                path.pop();
            }
            Some("self" | "*") | None => {}
            Some(name) => path.push(name.to_owned()),
        }
        at += 1;
        if tokens.get(at) != Some(&"::") {
            found.push(path);
            // What is imported may be given another name.
            return match tokens.get(at) {
                Some(&"as") => at + 2,
                _ => at,
            };
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn house(files: &[(&str, &str)]) -> BTreeMap<Module, String> {
        let module = |path: &str| path.split("::").map(str::to_owned).collect();
        let files = files.iter();
        files
            .map(|(path, text)| (module(path), (*text).to_owned()))
            .collect()
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
        let imports = imports(&house);
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
        let imports = imports(&house);
        let circle = vec!["tabs", "tabs/norms", "tabs/scale"];
        assert_eq!(circles(&imports), BTreeSet::from([circle]));
    }
}
