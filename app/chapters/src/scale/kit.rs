//! Misconceptions and the test of chapter "scale".

use crate::kit::{
    Kit, mistake, question,
    questions::{deviation, scaled_deviation, sharper, shifted, wider_root},
};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "scale",
    is_asked_before: true,
    misconceptions: &[mistake(
        "wrong-cosmetic",
        "tab=learn&chapter=scale&scale-width=1",
    )],
    questions: [
        question!(deviation),
        question!(scaled_deviation),
        question!(wider_root),
        question!(shifted, Weights),
        question!(sharper, Weights, Scores, ScaledScores),
    ],
};
