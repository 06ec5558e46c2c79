//! Misconceptions of page "order", whose chapter is tested elsewhere.

use crate::kit::{Kit, mistake};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "order",
    is_asked_before: true,
    misconceptions: &[mistake("wrong-reading", "tab=learn&chapter=order")],
    questions: &[],
};
