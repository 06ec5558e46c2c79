//! Normalisation of a text as SentencePiece does it: characters are replaced, spaces become `▁`.

use super::SentencePieceFault;
use super::character_map::CharacterMap;
use super::protobuf::{Fields, Value};
use crate::error::ModelError;

/// The character that stands for a space in pieces.
pub const SPACE: &str = "▁";
/// The factor by which a text may grow.
const MOST_GROWTH: usize = 64;
/// The number of bytes that a text may always grow by, however short it is.
const ALWAYS_BYTES: usize = 1024;

/// The rules as the file has them.
#[derive(Debug)]
pub struct NormalizerRules {
    character_map: Vec<u8>,
    /// True if a space comes before the text.
    add_dummy_prefix: bool,
    /// True if spaces at both ends and repeated ones are left out.
    remove_extra_whitespaces: bool,
}

impl Default for NormalizerRules {
    fn default() -> Self {
        NormalizerRules {
            character_map: vec![],
            add_dummy_prefix: true,
            remove_extra_whitespaces: true,
        }
    }
}

impl NormalizerRules {
    /// Reads the message `NormalizerSpec` of a SentencePiece model.
    ///
    /// # Errors
    /// If it is none, or uses what is not implemented.
    pub fn read(message: &[u8]) -> Result<Self, SentencePieceFault> {
        let mut rules = NormalizerRules::default();
        for field in Fields::of(message) {
            match field? {
                (2, Value::Bytes(map)) => rules.character_map = map.to_vec(),
                (3, Value::Varint(flag)) => rules.add_dummy_prefix = flag != 0,
                (4, Value::Varint(flag)) => rules.remove_extra_whitespaces = flag != 0,
                (5, Value::Varint(0)) => {
                    return Err(SentencePieceFault::Unsupported {
                        name: "escape_whitespaces",
                        value: "0".to_owned(),
                        implemented: "1 (true)",
                    });
                }
                _ => {}
            }
        }
        Ok(rules)
    }
}

/// The rules, ready to be applied.
#[derive(Debug)]
pub struct Normalizer {
    character_map: CharacterMap,
    add_dummy_prefix: bool,
    remove_extra_whitespaces: bool,
}

/// A normalised text, and the origin of its bytes.
#[derive(Debug, Default)]
pub struct Normalized {
    /// The text after normalisation.
    pub text: String,
    /// The place in the given text, in bytes, that each byte of the text was made of, and the end of the last.
    pub starts: Vec<usize>,
}

impl Normalized {
    fn push(&mut self, text: &str, start: usize) {
        self.text.push_str(text);
        self.starts.resize(self.text.len(), start);
    }
}

impl Normalizer {
    /// Parses the table of replacements.
    ///
    /// # Errors
    /// If the table of replacements is damaged.
    pub fn new(rules: NormalizerRules) -> Result<Self, SentencePieceFault> {
        Ok(Normalizer {
            character_map: CharacterMap::read(&rules.character_map)?,
            add_dummy_prefix: rules.add_dummy_prefix,
            remove_extra_whitespaces: rules.remove_extra_whitespaces,
        })
    }

    /// Replaces characters and writes spaces as [`SPACE`], keeping the origin of each byte.
    ///
    /// # Errors
    /// If the text grows out of proportion.
    pub fn normalize(&self, text: &str) -> Result<Normalized, ModelError> {
        let limit = text
            .len()
            .saturating_mul(MOST_GROWTH)
            .saturating_add(ALWAYS_BYTES);
        let mut at = 0;
        if self.remove_extra_whitespaces {
            while let (" ", length) = self.next(&text[at..]) {
                at += length;
            }
        }
        let mut normalized = Normalized::default();
        if at == text.len() {
            normalized.starts.push(at);
            return Ok(normalized);
        }
        if self.add_dummy_prefix {
            normalized.push(SPACE, at);
        }
        let mut is_after_space = self.remove_extra_whitespaces;
        while at < text.len() {
            let (replacement, length) = self.next(&text[at..]);
            let kept = match is_after_space {
                true => replacement.trim_start_matches(' '),
                false => replacement,
            };
            normalized.push(&kept.replace(' ', SPACE), at);
            if !kept.is_empty() {
                is_after_space = self.remove_extra_whitespaces && kept.ends_with(' ');
            }
            if normalized.text.len() > limit {
                return Err(ModelError::Tokenizer(format!(
                    "the normalizer expands a text of {} bytes to more than {limit} bytes",
                    text.len()
                )));
            }
            at += length;
        }
        let mut end = at;
        while self.remove_extra_whitespaces && normalized.text.ends_with(SPACE) {
            let shorter = normalized.text.len() - SPACE.len();
            end = normalized.starts.get(shorter).copied().unwrap_or(end);
            normalized.text.truncate(shorter);
        }
        normalized.starts.truncate(normalized.text.len());
        normalized.starts.push(end);
        Ok(normalized)
    }

    /// Returns the replacement of the beginning of a text, or its first character, and the length of what it stands for
    /// in bytes: at least one unless the text is empty.
    fn next<'a>(&'a self, text: &'a str) -> (&'a str, usize) {
        self.character_map.longest(text).unwrap_or_else(|| {
            let length = text.chars().next().map_or(0, char::len_utf8);
            (&text[..length], length)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::character_map::tests::table;
    use super::*;

    fn normalizer(add_dummy_prefix: bool, remove_extra_whitespaces: bool) -> Normalizer {
        let rules = NormalizerRules {
            character_map: table(),
            add_dummy_prefix,
            remove_extra_whitespaces,
        };
        Normalizer::new(rules).unwrap()
    }

    #[test]
    fn characters_are_replaced_and_spaces_written() {
        for (flags, expected) in [
            ((true, true), "▁xy▁c▁d"),
            ((false, true), "xy▁c▁d"),
            ((true, false), "▁▁xy▁▁c▁d▁"),
        ] {
            let normalized = normalizer(flags.0, flags.1)
                .normalize(" a  cab d ")
                .unwrap();
            assert_eq!(normalized.text, expected);
            assert_eq!(normalized.starts.len(), expected.len() + 1);
            assert!(normalized.starts.is_sorted());
        }
    }

    #[test]
    fn bytes_know_what_they_were_made_of() {
        let normalized = normalizer(true, true).normalize("  a c  ").unwrap();
        assert_eq!(normalized.text, "▁xy▁c");
        assert_eq!(normalized.starts, [2, 2, 2, 2, 2, 3, 3, 3, 4, 5]);
        let empty = normalizer(true, true).normalize("  ").unwrap();
        assert_eq!((empty.text.as_str(), empty.starts), ("", vec![2]));
    }
}
