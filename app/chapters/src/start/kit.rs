//! Misconceptions and the test of chapter "start".

use crate::kit::{
    Kit, mistake, question,
    questions::{half, strongest, sum, tokens, width},
};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "start",
    // Its questions are in words that it is the first to explain.
    is_asked_before: false,
    misconceptions: &[
        mistake(
            "wrong-explanation",
            "show=claim&tool=importance&importance=1",
        ),
        mistake("wrong-lookup", "v=2&tab=learn&chapter=start&stage=4"),
    ],
    questions: [
        question!(tokens),
        question!(width),
        question!(sum, Weights),
        question!(strongest, Weights),
        question!(half, Weights),
    ],
};
