//! Misconceptions and the test of chapter "start".

use super::questions::{
    hidden_token, hidden_token_changes, hidden_tokens, odds, strongest_hidden, weight_and_effect,
    wrong_of_row,
};
use crate::kit::{Kit, mistake, question, questions::strongest};

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
    questions: &[
        question!(strongest, Weights),
        question!(odds),
        question!(Causal: hidden_token by hidden_tokens),
        question!(Causal: hidden_token_changes by hidden_tokens),
        question!(Why: weight_and_effect by strongest_hidden, Weights),
        question!(Error: wrong_of_row, Weights),
    ],
};
