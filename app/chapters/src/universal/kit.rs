//! Misconceptions of page "universal", whose chapter is tested elsewhere.

use crate::kit::{Kit, mistake};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "universal",
    is_asked_before: true,
    misconceptions: &[
        mistake(
            "wrong-same-maps",
            "model=universal&tab=learn&chapter=universal",
        ),
        mistake(
            "wrong-saves-time",
            "model=universal&tab=learn&chapter=universal&halt-depths=1",
        ),
    ],
    questions: &[],
};
