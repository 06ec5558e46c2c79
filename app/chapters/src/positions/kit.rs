//! Misconceptions and the test of chapter "positions".

use crate::kit::{
    Kit, mistake, question,
    questions::{adds_vectors, offset, pairs, period, shifted_offset},
};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "positions",
    is_asked_before: true,
    misconceptions: &[
        mistake("wrong-overwrites", "tab=learn&chapter=positions"),
        mistake(
            "wrong-any-length",
            "tab=learn&chapter=positions&way=learned",
        ),
    ],
    questions: [
        question!(adds_vectors),
        question!(pairs),
        question!(period),
        question!(offset, Weights),
        question!(shifted_offset, Weights),
    ],
};
