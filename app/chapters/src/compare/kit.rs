//! Misconceptions and the test of chapter "compare".

use super::questions::{apart, at_strongest, cancels, most_changed};
use crate::{
    heads::questions::agree,
    kit::{Kit, mistake, question},
};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "compare",
    is_asked_before: true,
    misconceptions: &[
        mistake(
            "wrong-numbers",
            "tab=learn&chapter=compare&model=positions-rope&compare=models&compare-model=positions-t5",
        ),
        mistake("wrong-pale", "tab=learn&chapter=compare&compare-scaled=1"),
    ],
    questions: [
        question!(cancels, Weights, OtherWeights),
        question!(at_strongest, Weights, OtherWeights),
        question!(apart, Weights, OtherWeights),
        question!(most_changed, Weights, OtherWeights),
        question!(agree, Weights, OtherWeights),
    ],
};
