//! Safe output to a terminal: no file's contents may control it.

use std::path::Path;

/// Returns `text` on one line, with control characters written as `\u{1b}`.
pub fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            steering if is_steering(steering) => {
                shown.push_str(&format!("\\u{{{:x}}}", u32::from(steering)));
            }
            other => shown.push(other),
        }
    }
    shown
}

/// Returns true if a character moves the cursor, begins a command, ends a line, or changes the direction of the text.
fn is_steering(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Describes a fault of a TOML file on one line.
pub fn toml_fault(path: &Path, text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start));
    let line = before.map_or_else(String::new, |before| {
        format!(", line {}", 1 + before.matches('\n').count())
    });
    format!("{}{line}: {}", path.display(), error.message())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_steer_a_terminal_is_written_out() {
        assert_eq!(
            escaped("a\u{1b}[2J\nb\t\u{9b}1m\u{202e}c\u{7f}"),
            "a\\u{1b}[2J\\nb\\t\\u{9b}1m\\u{202e}c\\u{7f}"
        );
        assert_eq!(escaped("“à” 你好 🐕 ▁a"), "“à” 你好 🐕 ▁a");
    }

    #[test]
    fn a_fault_of_toml_is_named_with_its_line() {
        let text = "seed = 1\n[model]\nwidth = [\n";
        let error = toml::from_str::<toml::Table>(text).unwrap_err();
        let fault = toml_fault(Path::new("a.toml"), text, &error);
        assert!(fault.starts_with("a.toml, line "), "{fault}");
        assert_eq!(escaped(&fault), fault);
    }
}
