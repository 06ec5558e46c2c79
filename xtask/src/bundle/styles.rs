//! One style sheet out of those that lie beside the page's components.
//!
//! What every part of the page uses comes first, then room by room, each after those it imports from, then what differs
//! on paper and in forced colours: where two rules are equally specific, the later one holds.

use std::fs;

use super::entry::{Entry, tree};
use crate::{error::Error, workspace::Workspace};

/// The name of the sheet for all parts, below `app/src`, and of the one that is made.
const SHEET: &str = "style.css";

/// The folders of the rooms of the page's crates, and the prefix of a room's name.
const CRATES: [(&str, &str); 3] = [
    ("app/core/src", ""),
    ("app/chapters/src", "chapters/"),
    ("app/src", ""),
];

/// The page's rooms that have styles, each after those it imports from.
const ROOMS: [&str; 7] = [
    "widgets/",
    "edits/",
    "depths/",
    "shell/",
    "tabs/",
    "chapters/",
    "class/",
];

/// The sheets of a medium, for all rooms.
const MEDIA: [&str; 2] = ["forced_colors.css", "print.css"];

/// The page's style sheet.
///
/// # Errors
/// If a file cannot be read or written.
pub fn sheet(workspace: &Workspace) -> Result<Entry, Error> {
    let mut sources = Vec::new();
    for (rooms, prefix) in CRATES {
        sources.extend(tree(&workspace.root.join(rooms), prefix)?);
    }
    sources.retain(|entry| entry.name.ends_with(".css"));
    sources.sort_by_cached_key(|entry| order(&entry.name));
    let texts = sources
        .iter()
        .map(|entry| fs::read_to_string(&entry.from).map_err(Error::file("read", &entry.from)));
    let texts: Vec<String> = texts.collect::<Result<_, _>>()?;
    let made = workspace.cache().join(SHEET);
    fs::write(&made, texts.join("\n")).map_err(Error::file("write", &made))?;
    Ok(Entry::new(SHEET, made))
}

/// The order of files in the sheet: by room, then by path; a folder's own rules before those of its components.
fn order(name: &str) -> (Option<usize>, String) {
    let room = match MEDIA.contains(&name) {
        true => Some(ROOMS.len()),
        false => ROOMS.iter().position(|room| name.starts_with(room)),
    };
    (room, name.replace("mod.css", ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_come_after_those_of_what_is_imported() {
        let mut names = [
            "print.css",
            "chapters/follow/head.css",
            "tabs/heads/grid.css",
            "chapters/mod.css",
            "style.css",
            "tabs/decoding/mod.css",
            "widgets/plot.css",
            "edits/bar.css",
            "tabs/decoding/attention.css",
        ];
        names.sort_by_cached_key(|name| order(name));
        let expected = [
            "style.css",
            "widgets/plot.css",
            "edits/bar.css",
            "tabs/decoding/mod.css",
            "tabs/decoding/attention.css",
            "tabs/heads/grid.css",
            "chapters/mod.css",
            "chapters/follow/head.css",
            "print.css",
        ];
        assert_eq!(names, expected);
    }
}
