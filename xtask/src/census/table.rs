//! The numbers as text in columns.

use std::collections::BTreeMap;

use super::{count::Census, room::Room};

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
            ("circles of rooms", circles.between_rooms.len()),
            ("circles of files", circles.between_files.len()),
            (
                "files in circles",
                circles.between_files.iter().map(Vec::len).sum(),
            ),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_have_a_row_each_and_a_sum() {
        let room = Room {
            files: 2,
            ..Room::default()
        };
        let names = ["app/src/kit", "app/src/tabs"];
        let all = names.map(|name| (name.to_owned(), room));
        let mut text = String::new();
        rooms(&mut text, "room", &BTreeMap::from(all));
        let rows: Vec<Vec<&str>> = text
            .lines()
            .map(|row| row.split_whitespace().take(2).collect())
            .collect();
        assert_eq!(rows[1], ["app/src/kit", "2"]);
        assert_eq!(rows[3], ["all", "4"]);
    }
}
