//! The census as a document.

use std::fmt::Write;

use attention_chapters::census::Kind;

use crate::asked::Answers;

/// A question and its answers.
pub struct Row {
    /// The page that has the test.
    pub chapter: &'static str,
    /// The name of the question.
    pub name: &'static str,
    /// The kind of the question.
    pub kind: Kind,
    /// Its answers for all texts.
    pub answers: Answers,
}

const HEAD: &str = "# Questions of the chapters\n\n\
    Written by `BLESS=1 cargo test -p attention-questions`, which asks every question of twelve texts: seven that the \
    translator reads and five that the sentence model continues, each with another head. The changes that a causal \
    question names are run. A text without an answer is one whose numbers do not decide the question, or whose model \
    lacks what it asks about.\n\n\
    *Asked* is the number of texts with an answer, *answers* the number of different ones among them, in the form before \
    the chapter and in the parallel form after it. *Changed* counts the texts whose answer differs between the forms. The \
    test fails if a form has one answer for all texts.\n\n\
    | page | question | kind | asked | answers | changed |\n| --- | --- | --- | --- | --- | --- |\n";

/// Returns the whole document.
pub fn table(rows: &[Row]) -> String {
    let mut text = HEAD.to_owned();
    for Row {
        chapter,
        name,
        kind,
        answers,
    } in rows
    {
        let kind = match kind {
            Kind::Computed => "computed",
            Kind::Causal => "change",
            Kind::Why => "reason",
            Kind::Error => "error",
        };
        let [before, after] = &answers.forms;
        writeln!(
            text,
            "| {chapter} | `{name}` | {kind} | {}, {} of {} | {}, {} | {} |",
            before.asked(),
            after.asked(),
            before.all,
            before.different(),
            after.different(),
            answers.changed,
        )
        .unwrap();
    }
    text
}
