//! Misconceptions and the test of chapter "hand".

use crate::kit::{
    Kit, mistake, question,
    questions::{head_width, scores, sum, tokens, vector},
};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "hand",
    is_asked_before: true,
    misconceptions: &[mistake(
        "wrong-inputs",
        "v=2&tab=learn&chapter=follow&stage=2",
    )],
    questions: [
        question!(tokens),
        question!(vector),
        question!(head_width),
        question!(scores),
        question!(sum, Weights),
    ],
};
