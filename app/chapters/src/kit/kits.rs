//! Misconceptions and questions of a chapter; their words are in `kit.md` of its language folders.

use super::questions::Question;

/// How many questions a test has.
pub const QUESTIONS: usize = 5;

/// A widespread mistake, and where on the page one sees that it is one.
#[derive(Clone, Copy, Debug)]
pub struct Misconception {
    /// The part of the text.
    pub part: &'static str,
    /// The view that shows it, as an address has it.
    pub link: &'static str,
}

/// What belongs to a chapter.
#[derive(Clone, Copy, Debug)]
pub struct Kit {
    /// The chapter's key.
    pub chapter: &'static str,
    /// True if the test is taken before the chapter too.
    pub is_asked_before: bool,
    /// What is often misunderstood.
    pub misconceptions: &'static [Misconception],
    /// The questions of its test.
    pub questions: [Question; QUESTIONS],
}

/// A misconception: its part, and where it is seen.
pub const fn mistake(part: &'static str, link: &'static str) -> Misconception {
    Misconception { part, link }
}
