//! Misconceptions of page "forcing", whose chapter is tested elsewhere.

use crate::kit::{Kit, mistake};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "forcing",
    is_asked_before: true,
    misconceptions: &[mistake("wrong-own-text", "tab=learn&chapter=forcing")],
    questions: &[],
};
