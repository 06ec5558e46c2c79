//! Misconceptions of "compare", a tool that has no test.

use crate::kit::{Kit, mistake};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "compare",
    is_asked_before: true,
    misconceptions: &[
        mistake(
            "wrong-numbers",
            "tab=learn&chapter=compare&model=positions-rope&compare=models&compare-model=positions-t5",
        ),
        mistake("wrong-pale", "tab=learn&chapter=compare&compare-scaled=1"),
    ],
    questions: &[],
};
