//! Misconceptions and the test of chapter "universal".

use super::questions::{
    block_passes, halting_depth, halting_mean, halting_remainder, source_keys_change,
};
use crate::kit::{Kit, mistake, question};

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
    questions: &[
        question!(block_passes),
        question!(halting_depth),
        question!(halting_remainder),
        question!(halting_mean),
        question!(source_keys_change),
    ],
};
