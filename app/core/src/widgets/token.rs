//! The labels of tokens: the tokenizers' marks in the form that a reader understands.

use attention_trace::{
    Token,
    spelling::{Spelled, parts},
    text::is_blank,
};

/// A token as a label. A word's leading space mark, `▁`, is dropped where something follows it; BERT's `##`, a word's
/// continuation, is a hyphen. Bytes that are no whole character, or none that can be seen, are written `⟨E2⟩`.
pub fn label(token: &Token) -> String {
    let text = token.text.as_str();
    if token.unknown {
        // The visitor's own characters.
        return text.to_owned();
    }
    if let Some(rest) = after_mark(text, "▁") {
        return visible(rest);
    }
    match after_mark(text, "##") {
        Some(rest) => format!("\u{2011}{rest}"),
        None => visible(text),
    }
}

/// Returns the text with its bytes in brackets; all of it as bytes if it cannot be seen.
fn visible(text: &str) -> String {
    if is_blank(text) {
        return text.bytes().map(bracketed).collect();
    }
    let parts = parts(text).into_iter();
    let shown = parts.map(|part| match part {
        Spelled::Text(text) => text.to_owned(),
        Spelled::Byte(byte) => bracketed(byte),
    });
    shown.collect()
}

fn bracketed(byte: u8) -> String {
    format!("⟨{byte:02X}⟩")
}

/// Returns the text after a mark, if there is any.
fn after_mark<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    text.strip_prefix(mark).filter(|rest| !rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labelled(text: &str) -> String {
        label(&Token {
            id: 0,
            text: text.to_owned(),
            unknown: false,
        })
    }

    #[test]
    fn a_space_mark_is_dropped_unless_it_is_all() {
        assert_eq!(labelled("▁suis"), "suis");
        assert_eq!(labelled("▁"), "▁");
        assert_eq!(labelled("iant"), "iant");
    }

    #[test]
    fn berts_mark_is_a_continuation() {
        assert_eq!(labelled("##ing"), "\u{2011}ing");
        assert_eq!(labelled("##"), "##");
        assert_eq!(labelled("▁##"), "##");
    }

    #[test]
    fn bytes_and_what_cannot_be_seen_are_bytes_in_brackets() {
        for (text, shown) in [
            ("<0xE2>", "⟨E2⟩"),
            ("▁<0xF0><0x9F>", "⟨F0⟩⟨9F⟩"),
            ("a<0xE4>b", "a⟨E4⟩b"),
            ("\u{fe0f}", "⟨EF⟩⟨B8⟩⟨8F⟩"),
            ("\u{200d}", "⟨E2⟩⟨80⟩⟨8D⟩"),
            ("<0xE4", "<0xE4"),
            ("你", "你"),
            ("مر", "مر"),
            ("⏎", "⏎"),
        ] {
            assert_eq!(labelled(text), shown, "{text}");
        }
    }

    #[test]
    fn unknown_characters_are_what_was_typed() {
        let typed = Token {
            id: 0,
            text: "##Ġ".to_owned(),
            unknown: true,
        };
        assert_eq!(label(&typed), "##Ġ");
    }
}
