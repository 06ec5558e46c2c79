//! Misconceptions of page "flash", whose chapter is tested elsewhere.

use crate::kit::{Kit, mistake};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "flash",
    is_asked_before: true,
    misconceptions: &[mistake("wrong-approximate", "tab=learn&chapter=flash")],
    questions: &[],
};
