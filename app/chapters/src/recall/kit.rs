//! Misconceptions of page "recall", whose chapter is tested elsewhere.

use crate::kit::{Kit, mistake};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "recall",
    is_asked_before: true,
    misconceptions: &[
        mistake("wrong-free", "tab=learn&chapter=recall"),
        mistake("wrong-last", "tab=learn&chapter=recall&recall-fifth=again"),
    ],
    questions: &[],
};
