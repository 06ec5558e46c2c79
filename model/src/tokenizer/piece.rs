//! A stretch of text that remembers where its characters come from.

use std::ops::Range;

/// Characters, each with the characters of the original text that it stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    characters: Vec<char>,
    origins: Vec<(usize, usize)>,
}

impl Piece {
    /// A stretch of the original text whose first character has the number `start`.
    pub fn of(text: &str, start: usize) -> Self {
        text.chars()
            .enumerate()
            .map(|(index, character)| (character, (start + index, start + index + 1)))
            .collect()
    }

    /// Number of characters.
    pub fn len(&self) -> usize {
        self.characters.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.characters.is_empty()
    }

    /// The characters.
    pub fn characters(&self) -> &[char] {
        &self.characters
    }

    /// Each character with its origin.
    pub fn iter(&self) -> impl Iterator<Item = (char, (usize, usize))> {
        let origins = self.origins.iter().copied();
        self.characters.iter().copied().zip(origins)
    }

    /// The characters as a string.
    pub fn text(&self) -> String {
        self.characters.iter().collect()
    }

    /// What `range` stands for in the original text.
    pub fn origin(&self, range: Range<usize>) -> Range<usize> {
        let origins = self.origins.get(range).unwrap_or_default();
        match (origins.first(), origins.last()) {
            (Some(first), Some(last)) => first.0..last.1,
            _ => 0..0,
        }
    }

    /// The part from `range` alone.
    pub fn part(&self, range: Range<usize>) -> Self {
        Piece {
            characters: self.characters[range.clone()].to_vec(),
            origins: self.origins[range].to_vec(),
        }
    }

    /// Puts a character that stands for nothing before the others.
    pub fn prepend(&mut self, character: char) {
        let start = self.origins.first().map_or(0, |origin| origin.0);
        self.characters.insert(0, character);
        self.origins.insert(0, (start, start));
    }

    /// Replaces one character by another everywhere.
    pub fn replace(&mut self, from: char, to: char) {
        for character in &mut self.characters {
            if *character == from {
                *character = to;
            }
        }
    }
}

impl FromIterator<(char, (usize, usize))> for Piece {
    fn from_iter<I: IntoIterator<Item = (char, (usize, usize))>>(items: I) -> Self {
        let (characters, origins) = items.into_iter().unzip();
        Piece {
            characters,
            origins,
        }
    }
}
