//! Misconceptions and the test of chapter "recurrent".

use super::questions::{
    alignment_weights, direction_width, vector_numbers, window_half, window_positions,
};
use crate::kit::{Kit, mistake, question};

/// Misconceptions and the test.
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
        question!(vector_numbers),
        question!(direction_width),
        question!(alignment_weights),
        question!(window_positions),
        question!(window_half),
    ],
};
