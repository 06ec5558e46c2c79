//! Misconceptions and the test of chapter "scores".

use crate::kit::{
    Kit, mistake, question,
    questions::{longest, nearest, nearest_scores_most, score, zero},
};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "scores",
    is_asked_before: true,
    misconceptions: &[mistake("wrong-distance", "tab=learn&chapter=scores")],
    questions: &[
        question!(score, Scores, ScaledScores),
        question!(zero),
        question!(nearest, Queries, Keys),
        question!(nearest_scores_most, Queries, Keys, Scores),
        question!(longest, Keys),
    ],
};
