//! The letters that represent bytes in byte-level tokenizers, so that a piece of a vocabulary contains no space:
//! GPT-2's alphabet. A byte that is a visible character of Latin-1 is that character, and the others are numbered from
//! U+0100.

use attention_trace::spelling::{bytes_of, spelled};

/// Returns the readable form of a piece in that alphabet; `None` if it has other characters.
pub fn readable(piece: &str) -> Option<String> {
    let bytes: Option<Vec<u8>> = piece.chars().map(byte).collect();
    bytes.map(|bytes| spelled(&bytes))
}

/// Returns the piece whose readable form is `text`.
pub fn piece(text: &str) -> String {
    bytes_of(text).into_iter().map(letter).collect()
}

fn byte(letter: char) -> Option<u8> {
    let number = u32::from(letter);
    let byte = match number {
        0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff => number,
        // Control characters and the space, then those from DEL to the space that does not break, then the soft hyphen.
        0x100..=0x120 => number - 0x100,
        0x121..=0x142 => number - 0x121 + 0x7f,
        0x143 => 0xad,
        _ => return None,
    };
    u8::try_from(byte).ok()
}

fn letter(byte: u8) -> char {
    let number = match byte {
        0..=0x20 => 0x100 + u32::from(byte),
        0x7f..=0xa0 => 0x121 + u32::from(byte) - 0x7f,
        0xad => 0x143,
        _ => u32::from(byte),
    };
    char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_a_letter_of_its_own() {
        for value in 0..=u8::MAX {
            assert_eq!(byte(letter(value)), Some(value));
        }
    }

    #[test]
    fn pieces_are_shown_as_the_text_they_stand_for() {
        for (given, shown) in [
            ("Ġthe", "▁the"),
            ("naÃ¯ve", "naïve"),
            ("ä½łå¥½", "你好"),
            ("Ċ", "⏎"),
            ("ä½", "<0xE4><0xBD>"),
            ("ãĢĤ", "。"),
        ] {
            assert_eq!(readable(given).as_deref(), Some(shown), "{given}");
            assert_eq!(piece(shown), given);
        }
        assert_eq!(readable("<｜end｜>"), None);
    }
}
