//! Places where an error may be dropped without a word.

use std::ops::AddAssign;

use serde::Serialize;

use crate::sources::lines::Line;

/// Code that drops an error, or puts a default value in its place.
const SILENT: [&str; 3] = [".ok()", "let _ =", "unwrap_or_default()"];

/// The number of places outside tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Silence {
    /// Places with a comment on their line or the line before.
    pub with_reason: usize,
    /// Places without such a comment.
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
    let mut count = Silence::default();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_test) {
        let places: usize = SILENT
            .iter()
            .map(|silent| line.code.matches(silent).count())
            .sum();
        let before = at.checked_sub(1).map(|before| &lines[before]);
        let is_above =
            before.is_some_and(|before| before.has_no_code() && before.comment.is_some());
        match line.comment.is_some() || is_above {
            true => count.with_reason += places,
            false => count.without_reason += places,
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::lines::lines;

    #[test]
    fn a_comment_on_the_line_or_above_is_a_reason() {
        let text = "a.ok();\nlet _ = b; // Gone already.\n// None is empty.\nc.unwrap_or_default();\n\
            let d = \".ok()\"; // .ok()\n#[cfg(test)]\nmod tests {\n  fn e() { f.ok() }\n}\n";
        let expected = Silence {
            with_reason: 2,
            without_reason: 1,
        };
        assert_eq!(silence(&lines(text)), expected);
    }
}
