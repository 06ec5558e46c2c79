//! Misconceptions and the test of chapter "long".

use super::questions::{
    first_and_neighbour, hidden_first, reach, seen_keys, windows, windows_for_step, windows_most,
    windows_raise, wrong_of_window,
};
use crate::kit::{Kit, mistake, question};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "long",
    is_asked_before: true,
    misconceptions: &[
        mistake("wrong-first", "tab=learn&chapter=long"),
        mistake("wrong-reach", "tab=learn&chapter=long"),
    ],
    questions: &[
        question!(seen_keys),
        question!(reach),
        question!(Causal: windows_most by windows),
        question!(Causal: windows_raise by windows_for_step),
        question!(Why: hidden_first by first_and_neighbour),
        question!(Error: wrong_of_window, Weights),
    ],
};
