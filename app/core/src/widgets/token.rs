//! The labels of tokens: the tokenizers' marks in the form that a reader understands.

use attention_trace::Token;

/// A token as a label. A word's leading space mark, `▁`, is dropped where something follows it; BERT's `##`, a word's
/// continuation, is a hyphen.
pub fn label(token: &Token) -> String {
    let text = token.text.as_str();
    if token.unknown {
        // The visitor's own characters.
        return text.to_owned();
    }
    if let Some(rest) = after_mark(text, "▁") {
        return rest.to_owned();
    }
    match after_mark(text, "##") {
        Some(rest) => format!("\u{2011}{rest}"),
        None => text.to_owned(),
    }
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
    fn unknown_characters_are_what_was_typed() {
        let typed = Token {
            id: 0,
            text: "##Ġ".to_owned(),
            unknown: true,
        };
        assert_eq!(label(&typed), "##Ġ");
    }
}
