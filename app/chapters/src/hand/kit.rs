//! Misconceptions and the test of chapter "hand".

use super::questions::{
    length_or_direction, own_weight, pinned_key, pinned_keys, product_of_three, weight_of_three,
    wrong_of_weight,
};
use crate::kit::{Kit, mistake, question};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "hand",
    is_asked_before: true,
    misconceptions: &[mistake(
        "wrong-inputs",
        "v=2&tab=learn&chapter=follow&stage=2",
    )],
    questions: &[
        question!(weight_of_three, ScaledScores),
        question!(product_of_three, Queries, Keys),
        question!(Causal: own_weight, ScaledScores),
        question!(Causal: pinned_key by pinned_keys),
        question!(Why: length_or_direction, Scores, Queries, Keys),
        question!(Error: wrong_of_weight, Scores, ScaledScores, Queries, Keys),
    ],
};
