//! The files of `assets/replay` that make the page.

/// The page around them, with a mark for each.
pub const SHELL: &str = include_str!("../../../assets/replay/replay.html");

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../assets/replay/", $name)))),*]
    };
}

const FILES: &[(&str, &str)] = files![
    "replay.css",
    "decoded.js",
    "words.js",
    "colors.js",
    "tokens.js",
    "errors.js",
    "header.js",
    "trace.js",
    "selection.js",
    "edits.js",
    "dom.js",
    "heatmap.js",
    "lines.js",
    "sentence.js",
    "thumbnails.js",
    "panels.js",
    "replay.js",
];

/// The contents of the file of that name.
pub fn find(name: &str) -> Option<&'static str> {
    let found = FILES.iter().find(|(file, _)| *file == name);
    found.map(|&(_, contents)| contents)
}

/// The length of all of them.
pub fn bytes() -> usize {
    FILES
        .iter()
        .map(|(_, contents)| contents.len())
        .sum::<usize>()
        + SHELL.len()
}

#[cfg(test)]
pub fn all() -> &'static [(&'static str, &'static str)] {
    FILES
}
