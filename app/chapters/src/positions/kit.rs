//! Misconceptions and the test of chapter "positions".

use super::questions::{
    exchanged, moved_word, moved_word_raises, offset, order_or_none, reversed_column,
    without_order, wrong_of_places,
};
use crate::kit::{Kit, mistake, question};

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
    questions: &[
        question!(reversed_column, Weights),
        question!(offset, Weights),
        question!(Causal: moved_word by exchanged),
        question!(Causal: moved_word_raises by exchanged),
        question!(Why: order_or_none by without_order),
        question!(Error: wrong_of_places, Weights),
    ],
};
