//! The spelling of bytes in the text of a token. The pieces of some tokenizers are bytes, and need not end at the end
//! of a character: a byte that is no whole character is written `<0xE4>`, as tokenizers that fall back on bytes name
//! it.

use std::ops::Range;

use crate::Token;

/// A space, as it is shown in a token.
const SPACE: char = '▁';
/// A line break, as it is shown in a token.
const LINE_BREAK: char = '⏎';

/// Bytes as they are shown: `▁` for a space, `⏎` for a line break, `<0xE4>` for a byte that is no whole character or
/// one that cannot be seen.
pub fn spelled(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                ' ' => text.push(SPACE),
                '\n' => text.push(LINE_BREAK),
                _ if character.is_control() => {
                    push_bytes(&mut text, character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                _ => text.push(character),
            }
        }
        push_bytes(&mut text, chunk.invalid());
    }
    text
}

fn push_bytes(text: &mut String, bytes: &[u8]) {
    text.extend(bytes.iter().map(|byte| format!("<0x{byte:02X}>")));
}

/// The bytes that [`spelled`] shows as `text`.
pub fn bytes_of(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for part in parts(text) {
        match part {
            Spelled::Byte(byte) => bytes.push(byte),
            Spelled::Text(text) => {
                let text = text.replace(SPACE, " ").replace(LINE_BREAK, "\n");
                bytes.extend_from_slice(text.as_bytes());
            }
        }
    }
    bytes
}

/// A part of the text of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelled<'a> {
    /// Characters as they are shown.
    Text(&'a str),
    /// A byte, as `<0xE4>` spells it.
    Byte(u8),
}

/// The text of a token as bytes and what is between them.
pub fn parts(text: &str) -> Vec<Spelled<'_>> {
    let mut parts = vec![];
    let (mut rest, mut from) = (text, text);
    while let Some(at) = rest.find('<') {
        let Some((byte, after)) = leading_byte(&rest[at..]) else {
            rest = &rest[at + 1..];
            continue;
        };
        let before = &from[..from.len() - rest.len() + at];
        if !before.is_empty() {
            parts.push(Spelled::Text(before));
        }
        parts.push(Spelled::Byte(byte));
        (rest, from) = (after, after);
    }
    if !from.is_empty() {
        parts.push(Spelled::Text(from));
    }
    parts
}

/// Returns the byte that a leading `<0xE4>` represents, and the rest of the text.
fn leading_byte(text: &str) -> Option<(u8, &str)> {
    let (digits, after) = text.strip_prefix("<0x")?.split_once('>')?;
    let is_byte = digits.len() == 2 && digits.chars().all(|digit| digit.is_ascii_hexdigit());
    let byte = u8::from_str_radix(digits, 16).ok().filter(|_| is_byte)?;
    Some((byte, after))
}

/// True if a token is bytes and nothing else, as `<0xE4><0xBD>`.
pub fn is_bytes(text: &str) -> bool {
    let mut rest = text;
    while let Some((_, after)) = leading_byte(rest) {
        rest = after;
    }
    rest.is_empty() && !text.is_empty()
}

/// Tokens that have characters of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The tokens, by place: one, or several that share a character.
    pub tokens: Range<usize>,
    /// The joined text of the tokens, spelled as in [`Token::text`].
    pub text: String,
}

/// The tokens, those put together that have a character in common because each has some of its bytes.
pub fn stretches(tokens: &[Token]) -> Vec<Stretch> {
    let mut stretches = vec![];
    let mut from = 0;
    while let Some(token) = tokens.get(from) {
        let mut to = from + 1;
        let mut text = token.text.clone();
        let mut bytes = match has_bytes(token) {
            true => bytes_of(&token.text),
            false => vec![],
        };
        while is_unfinished(&bytes)
            && let Some(next) = tokens.get(to).filter(|next| has_bytes(next))
        {
            bytes.extend(bytes_of(&next.text));
            text = spelled(&bytes);
            to += 1;
        }
        stretches.push(Stretch {
            tokens: from..to,
            text,
        });
        from = to;
    }
    stretches
}

/// True if a token has bytes that are no whole character.
fn has_bytes(token: &Token) -> bool {
    !token.unknown && token.text.contains("<0x")
}

/// True if bytes end within a character.
fn is_unfinished(bytes: &[u8]) -> bool {
    let last = bytes.utf8_chunks().last();
    last.is_some_and(|chunk| {
        let error = std::str::from_utf8(chunk.invalid()).err();
        error.is_some_and(|error| error.error_len().is_none())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tokens(texts: &[&str]) -> Vec<Token> {
        let token = |text: &&str| Token {
            id: 0,
            text: (*text).to_owned(),
            unknown: false,
        };
        texts.iter().map(token).collect()
    }

    #[test]
    fn bytes_are_shown_as_the_characters_they_make() {
        assert_eq!(spelled("naïve".as_bytes()), "naïve");
        assert_eq!(spelled(" the".as_bytes()), "▁the");
        assert_eq!(spelled(b"\n\n\t"), "⏎⏎<0x09>");
        let half = &"你".as_bytes()[..2];
        assert_eq!(spelled(half), "<0xE4><0xBD>");
        assert_eq!(spelled(&[b'a', 0xe4, b'b']), "a<0xE4>b");
    }

    #[test]
    fn only_bytes_are_bytes() {
        assert!(is_bytes("<0xE4>") && is_bytes("<0xE4><0xBD>"));
        for other in [
            "", "a", "<0xE4>a", "<0xE>", "<0x>", "<pad>", "<0xGG>", "<0x+1>",
        ] {
            assert!(!is_bytes(other), "{other}");
        }
    }

    #[test]
    fn tokens_that_share_a_character_stand_together() {
        let found = stretches(&tokens(&[
            "▁a",
            "<0xE4><0xBD>",
            "<0xA0>",
            "b",
            "<0xE4>",
            "c",
        ]));
        let found: Vec<_> = found
            .into_iter()
            .map(|stretch| (stretch.tokens, stretch.text))
            .collect();
        let expected = [
            (0..1, "▁a"),
            (1..3, "你"),
            (3..4, "b"),
            (4..5, "<0xE4>"),
            (5..6, "c"),
        ];
        assert_eq!(
            found,
            expected.map(|(range, text)| (range, text.to_owned()))
        );
    }

    proptest! {
        #[test]
        fn what_is_shown_gives_the_bytes_back(bytes in prop::collection::vec(any::<u8>(), 0..24)) {
            let shown = spelled(&bytes);
            // What looks like the marks themselves is read as them.
            prop_assume!(!String::from_utf8_lossy(&bytes).contains(['<', '▁', '⏎']));
            prop_assert_eq!(bytes_of(&shown), bytes);
        }

        #[test]
        fn every_token_is_in_one_stretch(texts in prop::collection::vec("(<0x[0-9A-F]{2}>){0,3}|.{0,3}", 0..9)) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let mut next = 0;
            for stretch in stretches(&tokens(&texts)) {
                prop_assert_eq!(stretch.tokens.start, next);
                prop_assert!(stretch.tokens.end > next);
                next = stretch.tokens.end;
            }
            prop_assert_eq!(next, texts.len());
        }
    }
}
