//! The numbers as text in columns.

use std::collections::BTreeMap;

use super::{Census, room::Room};

/// The names of the columns of rooms.
const COLUMNS: [&str; 9] = [
    "files",
    "code",
    "comments",
    "blank",
    "tests",
    "short docs",
    "questions",
    "silent",
    "with reason",
];

/// All numbers, one table below the other.
pub fn table(census: &Census) -> String {
    let mut text = String::new();
    rooms(&mut text, "crate", &census.crates);
    rooms(&mut text, "room", &census.rooms);
    let lines = census.lines.iter();
    pairs(
        &mut text,
        lines.map(|(language, lines)| (format!("lines of {language}"), *lines as u64)),
    );
    let circles = census.circles.iter().flat_map(|(folder, circles)| {
        [
            ("circles of rooms", circles.between_rooms),
            ("circles of files", circles.between_files),
            ("files in circles", circles.files),
        ]
        .map(|(name, count)| (format!("{name} in {folder}"), count as u64))
    });
    pairs(&mut text, circles);
    let documents = census.documents.iter();
    pairs(
        &mut text,
        documents.map(|(name, size)| (format!("bytes of {name}"), *size)),
    );
    let counts = [
        (
            "Rust files that name a served model",
            census.files_that_name_models,
        ),
        ("queues of questions in the engine", census.question_queues),
        ("pictures in git", census.pictures),
        ("crates in third-party", census.third_party),
    ];
    pairs(
        &mut text,
        counts.map(|(name, count)| (name.to_owned(), count as u64)),
    );
    text
}

fn rooms(text: &mut String, title: &str, rooms: &BTreeMap<String, Room>) {
    let mut all = Room::default();
    rooms.values().for_each(|room| all += *room);
    row(text, title, COLUMNS.map(str::to_owned));
    for (name, room) in rooms {
        row(text, name, cells(room));
    }
    row(text, "all", cells(&all));
    text.push('\n');
}

fn cells(room: &Room) -> [String; 9] {
    [
        room.files,
        room.code,
        room.comments,
        room.blank,
        room.tests,
        room.short_docs,
        room.question_docs,
        room.silence.without_reason,
        room.silence.with_reason,
    ]
    .map(|number| number.to_string())
}

fn row(text: &mut String, name: &str, cells: [String; 9]) {
    text.push_str(&format!("{name:<40}"));
    for cell in cells {
        text.push_str(&format!("{cell:>12}"));
    }
    text.push('\n');
}

fn pairs(text: &mut String, pairs: impl IntoIterator<Item = (String, u64)>) {
    for (name, number) in pairs {
        text.push_str(&format!("{name:<52}{number:>12}\n"));
    }
}
