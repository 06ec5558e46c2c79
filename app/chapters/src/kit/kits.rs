//! Misconceptions and questions of a chapter; their words are in `kit.md` of its language folders.

use super::questions::{Kind, Question};

/// A widespread mistake, and where on the page one sees that it is one.
#[derive(Clone, Copy, Debug)]
pub struct Misconception {
    pub part: &'static str,
    /// The view that refutes the mistake, as a fragment of the address.
    pub link: &'static str,
}

/// The misconceptions and the test of a chapter.
#[derive(Clone, Copy, Debug)]
pub struct Kit {
    /// The key of the chapter.
    pub chapter: &'static str,
    /// True if the test is taken before the chapter too.
    pub is_asked_before: bool,
    /// The widespread mistakes, in the order shown.
    pub misconceptions: &'static [Misconception],
    /// The questions of its test; none on a page whose chapter is tested on another page.
    pub questions: &'static [Question],
}

impl Kit {
    /// True if the page has a test of its own.
    pub fn has_test(&self) -> bool {
        !self.questions.is_empty()
    }

    /// True if a question asks which change moves most.
    pub fn runs_changes(&self) -> bool {
        let mut questions = self.questions.iter();
        questions.any(|question| question.kind == Kind::Causal)
    }
}

/// A misconception: its part, and where it is seen.
pub const fn mistake(part: &'static str, link: &'static str) -> Misconception {
    Misconception { part, link }
}
