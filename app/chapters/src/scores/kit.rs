//! Misconceptions of page "scores", whose chapter is tested elsewhere.

use crate::kit::{Kit, mistake};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "scores",
    is_asked_before: true,
    misconceptions: &[mistake("wrong-distance", "tab=learn&chapter=scores")],
    questions: &[],
};
