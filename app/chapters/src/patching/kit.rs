//! Misconceptions and the test of chapter "patching".

use super::questions::reached_positions;
use crate::{
    kit::{Kit, mistake, question},
    lens::questions::{half_gap, lens_readings, logit_gap, writing_heads},
};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "patching",
    is_asked_before: true,
    misconceptions: &[
        mistake(
            "wrong-needed",
            "tab=learn&chapter=patching&patch-into=clean",
        ),
        mistake("wrong-sums", "tab=learn&chapter=patching"),
    ],
    questions: &[
        question!(lens_readings),
        question!(writing_heads),
        question!(reached_positions),
        question!(logit_gap),
        question!(half_gap),
    ],
};
