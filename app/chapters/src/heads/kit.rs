//! Misconceptions and the test of chapter "heads".

use super::questions::{
    both_off, each_off, looks_at_itself, only_one, other, others_off, together, vector_without,
    wrong_of_heads,
};
use crate::kit::{Kit, mistake, question};

/// The chapter's misconceptions and test.
pub static KIT: Kit = Kit {
    chapter: "heads",
    is_asked_before: true,
    misconceptions: &[
        mistake("wrong-jobs", "show=claim&tool=importance&importance=1"),
        mistake("wrong-cost", "tab=learn&chapter=sizes"),
    ],
    questions: &[
        question!(other, OtherWeights),
        question!(looks_at_itself, LayerWeights),
        question!(Causal: vector_without by each_off),
        question!(Causal: only_one by others_off),
        question!(Why: together by both_off),
        question!(Error: wrong_of_heads, Weights, OtherWeights),
    ],
};
