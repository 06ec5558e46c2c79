//! The numbers of a room: its lines, its doc comments, its silent errors.

use std::{collections::BTreeMap, ops::AddAssign};

use serde::Serialize;

use super::silence::{Silence, silence};
use crate::{
    sources::{Package, Source, lines::Line},
    words::comments::doc_comments,
};

/// The numbers of a room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Room {
    /// The Rust files of the room.
    pub files: usize,
    /// Lines with code outside tests.
    pub code: usize,
    /// Lines with a comment alone outside tests.
    pub comments: usize,
    /// Empty lines outside tests.
    pub blank: usize,
    /// All lines of tests.
    pub tests: usize,
    /// Doc comments under four words.
    pub short_docs: usize,
    /// Doc comments that begin with What, Whether, How, Where or Which.
    pub question_docs: usize,
    /// Errors that may be dropped.
    pub silence: Silence,
}

impl AddAssign for Room {
    fn add_assign(&mut self, other: Self) {
        self.files += other.files;
        self.code += other.code;
        self.comments += other.comments;
        self.blank += other.blank;
        self.tests += other.tests;
        self.short_docs += other.short_docs;
        self.question_docs += other.question_docs;
        self.silence += other.silence;
    }
}

/// The numbers of a file.
pub fn file(lines: &[Line]) -> Room {
    let docs = doc_comments(lines);
    let mut room = Room {
        files: 1,
        short_docs: docs.iter().filter(|doc| doc.is_short()).count(),
        question_docs: docs.iter().filter(|doc| doc.begins_with_question()).count(),
        silence: silence(lines),
        ..Room::default()
    };
    for line in lines {
        let kind = match line {
            line if line.is_test => &mut room.tests,
            line if !line.has_no_code() => &mut room.code,
            line if line.comment.is_some() => &mut room.comments,
            _ => &mut room.blank,
        };
        *kind += 1;
    }
    room
}

/// The numbers of the files that `name` puts under one name.
pub fn by<'a>(
    packages: &'a [Package],
    name: impl Fn(&'a Package, &'a Source) -> &'a str,
) -> BTreeMap<String, Room> {
    let mut rooms: BTreeMap<String, Room> = BTreeMap::new();
    for package in packages {
        for source in &package.sources {
            let room = name(package, source).to_owned();
            *rooms.entry(room).or_default() += file(&source.lines);
        }
    }
    rooms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::lines::lines;

    #[test]
    fn each_line_is_counted_once() {
        let text = "//! All.\n\n/// Whether a holds.\nfn a() {} // One.\n\n#[cfg(test)]\nmod tests {\n\n}\n";
        let expected = Room {
            files: 1,
            code: 1,
            comments: 2,
            blank: 2,
            tests: 4,
            short_docs: 2,
            question_docs: 1,
            silence: Silence::default(),
        };
        assert_eq!(file(&lines(text)), expected);
    }
}
