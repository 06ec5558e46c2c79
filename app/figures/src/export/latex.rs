//! Escapes of text for TeX.

/// Returns a text whose every character is printed as it is. Characters that no TeX prints become a visible sign.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' => escaped.push_str("\\textbackslash{}"),
            '{' | '}' | '$' | '&' | '#' | '_' | '%' => {
                escaped.push('\\');
                escaped.push(character);
            }
            '^' => escaped.push_str("\\textasciicircum{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '<' => escaped.push_str("\\textless{}"),
            '>' => escaped.push_str("\\textgreater{}"),
            '|' => escaped.push_str("\\textbar{}"),
            // By their numbers, since their names need packages or draw bitmaps, and babel gives the characters
            // meanings. Only the typewriter font has a straight double quote.
            '"' => escaped.push_str("\\texttt{\\char34}"),
            '\'' => escaped.push_str("{\\char39}"),
            '`' => escaped.push_str("{\\char96}"),
            '-' => escaped.push_str("-{}"),
            // Their usual form, in text and not in a formula.
            '−' => escaped.push_str("\\ensuremath{-}"),
            '∞' => escaped.push_str("\\ensuremath{\\infty}"),
            '⟨' => escaped.push_str("\\ensuremath{\\langle}"),
            '⟩' => escaped.push_str("\\ensuremath{\\rangle}"),
            '√' => escaped.push_str("\\ensuremath{\\surd}"),
            '·' => escaped.push_str("\\ensuremath{\\cdot}"),
            '×' => escaped.push_str("\\ensuremath{\\times}"),
            '→' => escaped.push_str("\\ensuremath{\\rightarrow}"),
            '↓' => escaped.push_str("\\ensuremath{\\downarrow}"),
            control if control.is_control() => {
                escaped.push_str(&format!(
                    "\\textless{{}}{:02X}\\textgreater{{}}",
                    u32::from(control)
                ));
            }
            other => escaped.push(other),
        }
    }
    escaped
}

/// Returns a text as one line of a comment.
pub(super) fn comment(text: &str) -> String {
    let line = text.split(|c: char| c.is_control() || c == '\u{2028}' || c == '\u{2029}');
    line.collect::<Vec<_>>().join(" ")
}

/// Returns true if a text has characters that pdfLaTeX's fonts lack: those beyond Latin script and its punctuation.
pub(super) fn needs_unicode(text: &str) -> bool {
    text.chars().any(|character| {
        let is_latin = character < '\u{250}';
        let is_escaped = "−∞⟨⟩√·×→↓–—‘’“”…".contains(character);
        !is_latin && !is_escaped
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tex_acts_on_is_escaped() {
        assert_eq!(escaped("50 % & $x_1$"), "50 \\% \\& \\$x\\_1\\$");
        assert_eq!(escaped("\\input{a}"), "\\textbackslash{}input\\{a\\}");
        assert_eq!(escaped("--"), "-{}-{}");
        assert_eq!(escaped("\"co\""), "\\texttt{\\char34}co\\texttt{\\char34}");
        assert_eq!(
            escaped("a\nb\u{0}"),
            "a\\textless{}0A\\textgreater{}b\\textless{}00\\textgreater{}"
        );
        assert_eq!(escaped("学生"), "学生");
    }

    #[test]
    fn a_comment_is_one_line() {
        assert_eq!(
            comment("a\r\n\\end{document}\u{2028}b"),
            "a  \\end{document} b"
        );
    }

    #[test]
    fn other_scripts_need_another_tex() {
        assert!(!needs_unicode("étudiant −1 → …"));
        assert!(needs_unicode("学生") && needs_unicode("дом") && needs_unicode("🙂"));
    }
}
