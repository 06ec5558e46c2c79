//! The number of places that each room may have: `xtask/words.toml`.

use std::{collections::BTreeMap, fs, io::ErrorKind, path::Path};

use serde::Deserialize;

use crate::error::Error;

/// The comment that the file begins with.
const HEAD: &str = "\
# The places of each room, or document, that break a rule of prose (`cargo xtask words`). No number may rise;
# `cargo xtask words --lower` writes lower ones. A folder that is moved takes its number along.
";

/// The numbers of places by room.
pub type Places = BTreeMap<String, usize>;

#[derive(Deserialize)]
struct File {
    places: Places,
}

/// Reads the file; `None` where there is none.
///
/// # Errors
/// If it cannot be read.
pub fn read(path: &Path) -> Result<Option<Places>, Error> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        text => text.map_err(Error::file("read", path))?,
    };
    let file: File = toml::from_str(&text).map_err(|source| Error::Toml {
        path: path.to_owned(),
        source,
    })?;
    Ok(Some(file.places))
}

/// Writes the file.
///
/// # Errors
/// If it cannot be written.
pub fn write(path: &Path, places: &Places) -> Result<(), Error> {
    let lines = places
        .iter()
        .map(|(room, number)| format!("\"{room}\" = {number}\n"));
    let text = format!("{HEAD}\n[places]\n{}", lines.collect::<String>());
    fs::write(path, text).map_err(Error::file("write", path))
}

/// The numbers after those that fell; rooms without places are left out.
pub fn lowered(allowed: Option<&Places>, found: &Places) -> Places {
    let lowest = |(room, number): (&String, &usize)| {
        let most = allowed.map_or(*number, |allowed| number_of(allowed, room));
        let number = most.min(*number);
        (number > 0).then(|| (room.clone(), number))
    };
    found.iter().filter_map(lowest).collect()
}

/// The rooms with more places than they may have, each with both numbers: found and allowed.
pub fn above<'a>(allowed: &Places, found: &'a Places) -> Vec<(&'a str, usize, usize)> {
    let rooms = found
        .iter()
        .map(|(room, number)| (room.as_str(), *number, number_of(allowed, room)));
    rooms.filter(|(_, number, most)| number > most).collect()
}

/// The rooms with fewer places than they may have.
pub fn below<'a>(allowed: &'a Places, found: &Places) -> Vec<&'a str> {
    let rooms = allowed
        .iter()
        .filter(|(room, most)| number_of(found, room) < **most);
    rooms.map(|(room, _)| room.as_str()).collect()
}

fn number_of(places: &Places, room: &str) -> usize {
    places.get(room).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(numbers: &[(&str, usize)]) -> Places {
        let numbers = numbers.iter();
        numbers
            .map(|(room, number)| ((*room).to_owned(), *number))
            .collect()
    }

    #[test]
    fn numbers_only_fall() {
        let allowed = places(&[("a", 3), ("b", 2), ("c", 1)]);
        let found = places(&[("a", 1), ("b", 4), ("d", 5)]);
        assert_eq!(above(&allowed, &found), [("b", 4, 2), ("d", 5, 0)]);
        assert_eq!(below(&allowed, &found), ["a", "c"]);
        assert_eq!(
            lowered(Some(&allowed), &found),
            places(&[("a", 1), ("b", 2)])
        );
        assert_eq!(lowered(None, &found), found);
    }

    #[test]
    fn the_file_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words.toml");
        assert_eq!(read(&path).unwrap(), None);
        let written = places(&[("README.md", 2), ("app/core/src/engine", 7)]);
        write(&path, &written).unwrap();
        assert_eq!(read(&path).unwrap(), Some(written));
    }
}
