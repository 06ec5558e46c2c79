//! Misconceptions of page "kinds", whose chapter is tested elsewhere.

use crate::kit::{Kit, mistake};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "kinds",
    is_asked_before: true,
    misconceptions: &[mistake(
        "wrong-writes",
        "tab=learn&chapter=kinds&kinds-run=1",
    )],
    questions: &[],
};
