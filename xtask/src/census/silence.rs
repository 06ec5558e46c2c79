//! Places that drop an error: `.ok()`, `let _ =` or `drop` on the result of a call, outside tests.
//!
//! A line tells no types, so that three things are no such places: a conversion, for which `None` says as much as its
//! error; a browser's `response.ok()`; and `let _ =` or `drop` without a call, which is for a variable. A default in place
//! of an error (`Result::unwrap_or`) is refused by clippy, as are `let _ =` and `.ok();` without a reason.

use std::ops::AddAssign;

use serde::Serialize;

use crate::sources::lines::{CommentKind, Line};

/// Conversions to an `Option`.
const TO_OPTION: [&str; 2] = [".ok()", "Result::ok"];
/// Discards of the value that follows.
const DISCARDS: [&str; 2] = ["let _ = ", "drop("];
/// Calls whose error says only that there is no such value.
const CONVERSIONS: [&str; 7] = [
    "binary_search",
    "dyn_into",
    "from_str_radix",
    "from_utf8",
    "parse",
    "try_from",
    "try_into",
];
/// The name of a browser's answer, whose `ok()` is a flag.
const RESPONSE: &str = "response";

/// The number of places outside tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Silence {
    /// Places with a reason: a comment on their line or the line before, or a lint's reason.
    pub with_reason: usize,
    /// Places without such a reason.
    pub without_reason: usize,
}

impl AddAssign for Silence {
    fn add_assign(&mut self, other: Self) {
        self.with_reason += other.with_reason;
        self.without_reason += other.without_reason;
    }
}

/// Counts such places of a file.
pub fn silence(lines: &[Line]) -> Silence {
    let places = places(lines);
    let with_reason = places.iter().filter(|at| has_reason(lines, **at)).count();
    Silence {
        with_reason,
        without_reason: places.len() - with_reason,
    }
}

/// Returns the lines of such places, as indices.
fn places(lines: &[Line]) -> Vec<usize> {
    let codes = lines.iter().map(|line| match line.is_test {
        true => "\n".to_owned(),
        false => format!("{}\n", line.code),
    });
    let code: String = codes.collect();
    let options = TO_OPTION.iter().flat_map(|silent| {
        let found = code.match_indices(silent);
        found.filter(|(at, _)| drops_error(&code[..*at]))
    });
    let discards = DISCARDS.iter().flat_map(|silent| {
        let found = code.match_indices(silent);
        found.filter(|(at, silent)| {
            is_word_start(&code[..*at]) && discards_call(&code[at + silent.len()..])
        })
    });
    let places = options.chain(discards);
    places
        .map(|(at, _)| code[..at].matches('\n').count())
        .collect()
}

/// True if `before`, the code before `.ok()`, ends with neither a conversion nor a browser's answer.
fn drops_error(before: &str) -> bool {
    let name = last_name(before);
    !CONVERSIONS.contains(&name) && name != RESPONSE
}

/// Returns the name of the call, or of the variable, that the code ends with.
fn last_name(code: &str) -> &str {
    let code = code.trim_end();
    let code = without_group(code, '(', ')').trim_end();
    let code = without_group(code, '<', '>').trim_end_matches("::");
    let start = code.rfind(|c: char| !is_word(c));
    start.map_or(code, |start| {
        code[start..].trim_start_matches(|c| !is_word(c))
    })
}

/// Returns the code before the brackets that it ends with, if it does.
fn without_group(code: &str, open: char, close: char) -> &str {
    if !code.ends_with(close) {
        return code;
    }
    let mut depth = 0;
    let start = code.char_indices().rev().find(|(_, sign)| {
        depth += i32::from(*sign == close) - i32::from(*sign == open);
        depth == 0
    });
    start.map_or(code, |(start, _)| &code[..start])
}

/// True if the statement or argument that `after` begins with has a call.
fn discards_call(after: &str) -> bool {
    let end = after.find([';', '{']).unwrap_or(after.len());
    let statement = &after[..end];
    let mut calls = statement.match_indices('(');
    calls.any(|(at, _)| statement[..at].ends_with(|c| is_word(c) || c == '!' || c == '>'))
}

/// True if a word can begin after this code, and it is neither a method nor the name of a function.
fn is_word_start(before: &str) -> bool {
    !before.ends_with(|c| is_word(c) || c == '.') && !before.ends_with("fn ")
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// True if a comment on the line or directly above, or the reason of a lint above, says why nothing is lost.
fn has_reason(lines: &[Line], at: usize) -> bool {
    let is_reason = |line: &Line| {
        let comment = line.comment.as_ref();
        comment.is_some_and(|comment| comment.kind == CommentKind::Plain)
    };
    let above = lines[..at].last();
    is_reason(&lines[at])
        || above.is_some_and(|above| above.has_no_code() && is_reason(above))
        || is_lint_with_reason(&lines[..at])
}

/// True if the lines end with an attribute that has a reason.
fn is_lint_with_reason(lines: &[Line]) -> bool {
    let code = |line: &Line| line.code.trim().to_owned();
    if !lines.last().is_some_and(|line| code(line).ends_with(")]")) {
        return false;
    }
    let start = lines.iter().rposition(|line| code(line).starts_with("#["));
    let attribute = start.map_or(&[][..], |start| &lines[start..]);
    attribute.iter().any(|line| line.code.contains("reason = "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        sources::{files::written, lines::lines, packages},
        workspace::Workspace,
    };

    #[test]
    fn a_comment_on_the_line_or_above_is_a_reason() {
        let text = "a.ok();\nlet _ = b(); // Gone already.\n// None is empty.\nc().ok()?;\n\
            let d = \".ok()\"; // .ok()\n#[cfg(test)]\nmod tests {\n  fn e() { f.ok() }\n}\n\
            /// Documents it.\ng.ok();\n";
        let expected = Silence {
            with_reason: 2,
            without_reason: 2,
        };
        assert_eq!(silence(&lines(text)), expected);
    }

    #[test]
    fn the_reason_of_a_lint_is_one() {
        let text = "#[expect(clippy::a, reason = \"gone\")]\na.send().ok();\n\
            #[expect(\n  clippy::a,\n  reason = \"gone\"\n)]\nlet _ = b();\n#[expect(clippy::a)]\nc().ok();\n";
        let expected = Silence {
            with_reason: 2,
            without_reason: 1,
        };
        assert_eq!(silence(&lines(text)), expected);
    }

    #[test]
    fn conversions_and_values_without_an_error_are_no_places() {
        for text in [
            "text.parse().ok()",
            "text.parse::<Vec<u8>>()\n  .ok()",
            "u8::try_from(a(b))\n  .ok()",
            "if !response.ok() {",
            "let _ = (a, b);",
            "drop(a);",
            "fn drop(&mut self) { a() }",
        ] {
            assert!(places(&lines(text)).is_empty(), "{text}");
        }
    }

    #[test]
    fn errors_of_calls_are_places() {
        for text in [
            "a.await.ok()",
            "parse(a)?.b().ok()",
            "map(Result::ok)",
            "let _ = a.b(c);",
            "let _ = write!(a, b);",
            "move |_| drop(window().print())",
        ] {
            assert_eq!(places(&lines(text)), [0], "{text}");
        }
    }

    #[test]
    fn no_error_is_dropped_without_a_reason() {
        let root = Workspace::new().root;
        let packages = packages(&root, &written(&root).unwrap()).unwrap();
        let sources = packages.iter().flat_map(|package| &package.sources);
        let silent: Vec<String> = sources
            .flat_map(|source| {
                let places = places(&source.lines).into_iter();
                let silent = places.filter(|at| !has_reason(&source.lines, *at));
                silent.map(|at| format!("{}:{}", source.path, at + 1))
            })
            .collect();
        assert_eq!(silent, [""; 0]);
    }
}
