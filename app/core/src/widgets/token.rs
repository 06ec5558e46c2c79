//! What a token's text is on the page: the marks of the tokenizers as a reader takes them.

use attention_trace::Token;

/// A token as a label. A word's leading space mark, `▁` or GPT-2's `Ġ`, is dropped where something follows it; BERT's
/// `##`, a word's continuation, is a hyphen.
pub fn label(token: &Token) -> String {
    let text = token.text.as_str();
    if token.unknown {
        // The visitor's own characters.
        return text.to_owned();
    }
    if let Some(rest) = after_mark(text, "▁") {
        return rest.to_owned();
    }
    if let Some(rest) = after_mark(text, "##") {
        return format!("\u{2011}{rest}");
    }
    let rest = after_mark(text, "Ġ").unwrap_or(text);
    rest.replace('Ġ', "▁").replace('Ċ', "⏎")
}

/// What follows a mark, if anything does.
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
    fn gpt_2s_marks_are_spaces_and_line_breaks() {
        assert_eq!(labelled("Ġthe"), "the");
        assert_eq!(labelled("Ġ"), "▁");
        assert_eq!(labelled("ĠĠ"), "▁");
        assert_eq!(labelled("Ċ"), "⏎");
        assert_eq!(labelled("▁Ġgantija"), "Ġgantija");
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
