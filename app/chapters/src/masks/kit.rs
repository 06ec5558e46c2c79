//! Misconceptions and the test of chapter "masks".

use crate::kit::{
    Kit, mistake, question,
    questions::{ahead, alone, masked, rows, visible},
};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "masks",
    is_asked_before: true,
    misconceptions: &[mistake("wrong-after-softmax", "tab=learn&chapter=masks")],
    questions: [
        question!(masked),
        question!(rows, Weights),
        question!(visible),
        question!(alone),
        question!(ahead, Weights),
    ],
};
