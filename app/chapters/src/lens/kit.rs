//! Misconceptions and the test of chapter "lens".

use super::questions::{frozen_norms, half_gap, lens_readings, logit_gap, writing_heads};
use crate::kit::{Kit, mistake, question};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "lens",
    is_asked_before: true,
    misconceptions: &[
        mistake("wrong-thinks", "tab=learn&chapter=lens&lens-layer=1"),
        mistake(
            "wrong-cause",
            "v=2&tab=learn&chapter=lens&lens-head=cross.1.1",
        ),
    ],
    questions: &[
        question!(writing_heads),
        question!(lens_readings),
        question!(frozen_norms),
        question!(logit_gap),
        question!(half_gap),
    ],
};
