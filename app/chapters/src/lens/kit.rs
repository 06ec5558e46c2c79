//! Misconceptions and the test of chapter "lens".

use super::questions::{
    first_or_last, half_gap, layers_off, logit_gap, part_off, part_off_changes, parts_off,
    wrong_of_gap,
};
use crate::kit::{Kit, mistake, question};

/// The chapter's misconceptions and test.
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
        question!(logit_gap),
        question!(half_gap),
        question!(Causal: part_off by parts_off),
        question!(Causal: part_off_changes by parts_off),
        question!(Why: first_or_last by layers_off),
        question!(Error: wrong_of_gap),
    ],
};
