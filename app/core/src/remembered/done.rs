//! The chapters that the visitor has marked as read.

use super::storage::{read, write};

const DONE: &str = "attention-scope.done";
const SEPARATOR: char = '.';

/// Returns the keys of the chapters marked as read.
pub fn done() -> Vec<String> {
    read(DONE).map(|kept| parsed(&kept)).unwrap_or_default()
}

/// Marks a chapter as read, or as unread; returns all that are read.
pub fn keep_done(name: &str, is_done: bool) -> Vec<String> {
    let names = with(done(), name, is_done);
    write(DONE, &names.join(&SEPARATOR.to_string()));
    names
}

fn parsed(kept: &str) -> Vec<String> {
    let names = kept.split(SEPARATOR).filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

fn with(mut names: Vec<String>, name: &str, is_done: bool) -> Vec<String> {
    names.retain(|other| other != name);
    if is_done {
        names.push(name.to_owned());
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chapter_is_done_with_once_and_can_be_taken_back() {
        let names = with(parsed("follow.hand"), "scale", true);
        assert_eq!(names, ["follow", "hand", "scale"]);
        assert_eq!(
            with(names.clone(), "hand", true),
            ["follow", "scale", "hand"]
        );
        assert_eq!(with(names, "hand", false), ["follow", "scale"]);
        assert!(parsed("").is_empty());
    }
}
