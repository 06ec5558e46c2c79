//! Misconceptions and the test of chapter "norms".

use crate::kit::{
    Kit, mistake, question,
    questions::{inner_ratio, mean_square, pre_norm, sublayers, subtracts_mean},
};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "norms",
    is_asked_before: true,
    misconceptions: &[mistake("wrong-batch", "tab=learn&chapter=norms&norm=batch")],
    questions: [
        question!(pre_norm),
        question!(subtracts_mean),
        question!(mean_square),
        question!(inner_ratio),
        question!(sublayers),
    ],
};
