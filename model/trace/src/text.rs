//! Properties of a text for its readers: the presence of visible characters, and the start of the text.

/// The mark of byte order that some programs put in front of a text. It is no part of the text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The text without a byte order mark in front of it.
pub fn without_byte_order_mark(text: &str) -> &str {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// True if nothing is visible: white space, control characters, and those that only change the display or the joining
/// of others.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(is_invisible)
}

/// White space, control characters, what Unicode calls ignorable by default, and the empty cell of Braille.
fn is_invisible(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | BYTE_ORDER_MARK
                | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shows_nothing_is_blank() {
        for blank in [
            "",
            " \t\r\n",
            "\u{3000}",
            "\u{200b}",
            "\u{feff}",
            "\u{200e}\u{202a}\u{202c}",
            "\u{ad}\u{2060}\u{fe0f}",
            "\u{3164}",
            "\u{1}\u{7f}",
            "\u{e0020}",
        ] {
            assert!(is_blank(blank), "{blank:?}");
        }
        for seen in ["a", "\u{200b}.", "\u{301}", "。", "😀", "\u{fffd}"] {
            assert!(!is_blank(seen), "{seen:?}");
        }
    }

    #[test]
    fn one_mark_is_taken_from_the_beginning() {
        assert_eq!(without_byte_order_mark("\u{feff}Je"), "Je");
        assert_eq!(without_byte_order_mark(" Je\u{feff}"), " Je\u{feff}");
    }
}
