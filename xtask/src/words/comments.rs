//! Doc comments that say too little, or begin with a question.

use crate::sources::lines::{CommentKind, Line};

/// The fewest words of a doc comment that says more than the name below it.
const LEAST_WORDS: usize = 4;

/// First words of a question that stands for a statement.
const QUESTIONS: [&str; 5] = ["What", "Whether", "How", "Where", "Which"];

/// A doc comment: lines of one kind that follow each other.
#[derive(Debug, PartialEq, Eq)]
pub struct DocComment {
    /// The number of its first line, from 1.
    pub line: usize,
    /// Its lines, joined by spaces.
    pub text: String,
}

impl DocComment {
    /// True below four words.
    pub fn is_short(&self) -> bool {
        self.text.split_whitespace().count() < LEAST_WORDS
    }

    /// True if the first word is one of a question.
    pub fn begins_with_question(&self) -> bool {
        let mut words = self.text.split(|c: char| !c.is_alphabetic());
        words.next().is_some_and(|word| QUESTIONS.contains(&word))
    }
}

pub fn doc_comments(lines: &[Line]) -> Vec<DocComment> {
    let mut found: Vec<DocComment> = Vec::new();
    let mut before = None;
    for (line, number) in lines.iter().zip(1..) {
        let doc = line
            .comment
            .as_ref()
            .filter(|comment| comment.kind != CommentKind::Plain);
        match (doc, found.last_mut()) {
            (Some(comment), Some(last)) if before == Some(comment.kind) => {
                last.text.push(' ');
                last.text.push_str(&comment.text);
            }
            (Some(comment), _) => found.push(DocComment {
                line: number,
                text: comment.text.clone(),
            }),
            _ => {}
        }
        before = doc.map(|comment| comment.kind);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::lines::lines;

    #[test]
    fn lines_of_one_comment_are_joined() {
        let lines =
            lines("//! A room.\n\n/// The number\n/// of heads.\nfn a() {}\n// No.\n/// b\n");
        let found = doc_comments(&lines);
        let found: Vec<_> = found
            .iter()
            .map(|comment| (comment.line, comment.text.as_str()))
            .collect();
        assert_eq!(
            found,
            [(1, "A room."), (3, "The number of heads."), (7, "b")]
        );
    }

    #[test]
    fn short_comments_and_questions_are_found() {
        let comment = |text: &str| DocComment {
            line: 1,
            text: text.to_owned(),
        };
        assert!(comment("All of them.").is_short());
        assert!(!comment("The number of heads.").is_short());
        for text in ["Whether it is so.", "What's there", "Where? There."] {
            assert!(comment(text).begins_with_question(), "{text}");
        }
        for text in ["However it is", "True if it is", "what it is", "`What` is"] {
            assert!(!comment(text).begins_with_question(), "{text}");
        }
    }
}
