//! Misconceptions and the test of chapter "scale".

use super::questions::{
    halved_ratio, row_deviation, saturated, scaled_score, scaled_scores, sharper_by,
    wrong_of_spread,
};
use crate::kit::{Kit, mistake, question};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "scale",
    is_asked_before: true,
    misconceptions: &[mistake(
        "wrong-cosmetic",
        "tab=learn&chapter=scale&scale-width=1",
    )],
    questions: &[
        question!(row_deviation, Scores),
        question!(halved_ratio, Weights),
        question!(Causal: sharper_by, Weights),
        question!(Causal: scaled_score by scaled_scores, LayerWeights),
        question!(Why: saturated, Weights, Scores, ScaledScores),
        question!(Error: wrong_of_spread, Scores),
    ],
};
