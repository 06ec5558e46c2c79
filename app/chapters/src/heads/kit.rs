//! Misconceptions and the test of chapter "heads".

use super::questions::{agree, other, wider};
use crate::kit::{
    Kit, mistake, question,
    questions::{concatenated, heads},
};

/// The chapter's misconceptions and test.
pub static KIT: Kit = Kit {
    chapter: "heads",
    is_asked_before: true,
    misconceptions: &[
        mistake("wrong-jobs", "show=claim&tool=importance&importance=1"),
        mistake("wrong-cost", "tab=learn&chapter=sizes"),
    ],
    questions: [
        question!(heads),
        question!(concatenated),
        question!(other, OtherWeights),
        question!(agree, Weights, OtherWeights),
        question!(wider, Weights, OtherWeights),
    ],
};
