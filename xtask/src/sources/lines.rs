//! Rust line by line: code, literals and comments apart.

/// A line of a Rust file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Its code; a string literal or a part of one is `"`, once at each end and once a line, and a character is `''`.
    pub code: String,
    /// The contents of the string literals that begin here, with escapes as they are written.
    pub strings: Vec<String>,
    /// Its comment, without the signs that begin it.
    pub comment: Option<Comment>,
    /// True inside an item that is compiled for tests alone.
    pub is_test: bool,
}

/// A comment on one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    pub kind: CommentKind,
    /// The text without spaces around it.
    pub text: String,
}

/// The three kinds of comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentKind {
    /// Documents the item below: `///`.
    Outer,
    /// Documents the item around it: `//!`.
    Inner,
    /// For readers of the code: `//` and `/*`.
    Plain,
}

impl Line {
    /// True for empty lines and comments.
    pub fn has_no_code(&self) -> bool {
        self.code.trim().is_empty()
    }
}

/// Splits a file into lines.
pub fn lines(text: &str) -> Vec<Line> {
    let mut scanner = Scanner::default();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = scanner.take(first, rest);
        rest = &rest[length..];
    }
    let mut lines = scanner.done;
    if !text.ends_with('\n') && !text.is_empty() {
        lines.push(scanner.line);
    }
    mark_tests(&mut lines);
    lines
}

/// The lines so far and the one that is being read.
#[derive(Default)]
struct Scanner {
    done: Vec<Line>,
    line: Line,
}

impl Scanner {
    /// Takes the token that `rest` begins with; returns its length in bytes.
    fn take(&mut self, first: char, rest: &str) -> usize {
        match first {
            '\n' => {
                self.end_line();
                1
            }
            '/' if rest.starts_with("//") => self.line_comment(rest),
            '/' if rest.starts_with("/*") => self.block_comment(rest),
            '"' => self.string(rest),
            '\'' => self.character(rest),
            _ => {
                self.line.code.push(first);
                first.len_utf8()
            }
        }
    }

    fn end_line(&mut self) {
        self.done.push(std::mem::take(&mut self.line));
    }

    fn line_comment(&mut self, rest: &str) -> usize {
        let text = rest.lines().next().unwrap_or(rest);
        let (kind, signs) = match text {
            _ if text.starts_with("////") => (CommentKind::Plain, 2),
            _ if text.starts_with("///") => (CommentKind::Outer, 3),
            _ if text.starts_with("//!") => (CommentKind::Inner, 3),
            _ => (CommentKind::Plain, 2),
        };
        self.comment(kind, &text[signs..]);
        text.len()
    }

    fn block_comment(&mut self, rest: &str) -> usize {
        let length = block_length(rest);
        for (number, line) in rest[..length].split('\n').enumerate() {
            if number > 0 {
                self.end_line();
            }
            let text = line.trim().trim_start_matches("/*").trim_end_matches("*/");
            self.comment(CommentKind::Plain, text);
        }
        length
    }

    fn comment(&mut self, kind: CommentKind, text: &str) {
        let text = text.trim().to_owned();
        self.line.comment = Some(Comment { kind, text });
    }

    fn string(&mut self, rest: &str) -> usize {
        let length = string_length(rest, raw_hashes(&self.line.code));
        let contents = rest[1..length].trim_end_matches('#');
        let contents = contents.strip_suffix('"').unwrap_or(contents);
        self.line.strings.push(contents.to_owned());
        self.line.code.push('"');
        for _ in rest[..length].matches('\n') {
            self.end_line();
            self.line.code.push('"');
        }
        self.line.code.push('"');
        length
    }

    /// A character, or the sign of a lifetime.
    fn character(&mut self, rest: &str) -> usize {
        let mut ahead = rest.char_indices().skip(1);
        let length = match (ahead.next(), ahead.next()) {
            // What is escaped may be a quotation mark.
            (Some((_, '\\')), Some((at, escaped))) => {
                let after = at + escaped.len_utf8();
                rest[after..].find('\'').map(|end| after + end + 1)
            }
            (Some(_), Some((at, '\''))) => Some(at + 1),
            _ => None,
        };
        self.line.code.push('\'');
        if length.is_some() {
            self.line.code.push('\'');
        }
        length.unwrap_or(1)
    }
}

/// The length of a comment that begins with `/*`; comments nest.
fn block_length(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while let Some(next) = text[at..].find(['/', '*']) {
        at += next;
        match &text[at..] {
            ahead if ahead.starts_with("/*") => {
                depth += 1;
                at += 2;
            }
            ahead if ahead.starts_with("*/") => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    text.len()
}

/// The number of signs `#` of a raw string whose quotation mark follows `code`; `None` if the string is not raw.
fn raw_hashes(code: &str) -> Option<usize> {
    let before = code.trim_end_matches('#');
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let word = before.rsplit(|c| !is_word(c)).next();
    let is_raw = matches!(word, Some("r" | "br" | "cr"));
    is_raw.then_some(code.len() - before.len())
}

/// The length of a string literal that begins with its quotation mark, with the marks that end it.
fn string_length(text: &str, raw_hashes: Option<usize>) -> usize {
    if let Some(hashes) = raw_hashes {
        let end = format!("\"{}", "#".repeat(hashes));
        return text[1..]
            .find(&end)
            .map_or(text.len(), |at| 1 + at + end.len());
    }
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|&(_, character)| {
        let ends = character == '"' && !escaped;
        escaped = character == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// Marks the items below `#[cfg(test)]`, and all lines of a file that begins with `#![cfg(test)]`.
fn mark_tests(lines: &mut [Line]) {
    if lines.iter().any(|line| line.code.contains("#![cfg(test)]")) {
        lines.iter_mut().for_each(|line| line.is_test = true);
        return;
    }
    let mut at = 0;
    while at < lines.len() {
        let length = match lines[at].code.split_once("#[cfg(test)]") {
            Some((_, after)) => item_length(after, &lines[at + 1..]),
            None => 0,
        };
        for line in &mut lines[at..at + length] {
            line.is_test = true;
        }
        at += length.max(1);
    }
}

/// The number of lines of an item that begins with `first` and goes on in `others`.
fn item_length(first: &str, others: &[Line]) -> usize {
    let codes = std::iter::once(first).chain(others.iter().map(|line| line.code.as_str()));
    let mut depth = 0;
    for (number, code) in codes.enumerate() {
        for sign in code.chars() {
            match sign {
                '{' | '(' | '[' => depth += 1,
                '}' | ')' | ']' => depth -= 1,
                _ => {}
            }
            if depth < 0 || depth == 0 && matches!(sign, ';' | ',' | '}') {
                return number + 1;
            }
        }
    }
    others.len() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Vec<String> {
        lines(text).into_iter().map(|line| line.code).collect()
    }

    #[test]
    fn strings_and_comments_are_no_code() {
        let text = "let a = \"// no \\\" comment\"; // one\nlet b = r#\"a \"\n.ok()\"#;\n/* two /* deep */\n.ok() */ c\n";
        assert_eq!(
            codes(text),
            ["let a = \"\"; ", "let b = r#\"", "\"\";", "", " c"]
        );
        let lines = lines(text);
        assert_eq!(lines[0].strings, ["// no \\\" comment"]);
        assert_eq!(lines[1].strings, ["a \"\n.ok()"]);
        let comments: Vec<_> = lines.iter().map(|line| line.comment.is_some()).collect();
        assert_eq!(comments, [true, false, false, true, true]);
    }

    #[test]
    fn characters_are_told_from_lifetimes() {
        assert_eq!(
            codes("a('\"', '\\'', '\\u{1f}', '.')"),
            ["a('', '', '', '')"]
        );
        assert_eq!(codes("fn a<'b>(c: &'b str)"), ["fn a<'b>(c: &'b str)"]);
    }

    #[test]
    fn kinds_of_comments_are_told_by_their_signs() {
        let kinds = lines("//! a\n/// b\n// c\n//// d\n");
        let kinds: Vec<_> = kinds
            .into_iter()
            .filter_map(|line| line.comment)
            .map(|comment| comment.kind)
            .collect();
        use CommentKind::{Inner, Outer, Plain};
        assert_eq!(kinds, [Inner, Outer, Plain, Plain]);
    }

    #[test]
    fn tests_end_with_their_item() {
        let text = "fn a() {}\n#[cfg(test)]\n#[allow(b)]\nmod tests {\n  fn c() {}\n}\nfn d() {}\n#[cfg(test)]\nuse e;\nfn f() {}\n";
        let tests: Vec<bool> = lines(text).iter().map(|line| line.is_test).collect();
        let expected = [
            false, true, true, true, true, true, false, true, true, false,
        ];
        assert_eq!(tests, expected);
    }
}
