//! Misconceptions and the test of chapter "recurrent".

use super::questions::{
    aligned_with, hidden_state, hidden_state_raises, hidden_states, one_state, window_left,
    without_and_alone, wrong_of_window,
};
use crate::kit::{Kit, mistake, question};

/// The chapter's misconceptions and test.
pub static KIT: Kit = Kit {
    chapter: "recurrent",
    is_asked_before: true,
    misconceptions: &[
        mistake(
            "wrong-forgets",
            "model=recurrent-fixed&tab=learn&chapter=recurrent",
        ),
        mistake(
            "wrong-given",
            "model=recurrent-bahdanau&tab=learn&chapter=recurrent",
        ),
        mistake(
            "wrong-came-later",
            "v=2&tab=learn&chapter=recurrent&length-bin=5",
        ),
    ],
    questions: &[
        question!(aligned_with, CrossWeights),
        question!(window_left, CrossWeights),
        question!(Causal: hidden_state by hidden_states),
        question!(Causal: hidden_state_raises by hidden_states),
        question!(Why: one_state by without_and_alone, CrossWeights),
        question!(Error: wrong_of_window, CrossWeights),
    ],
};
