//! Misconceptions and the test of chapter "order".

use crate::kit::{
    Kit, mistake, question,
    questions::{distance, knows_order, near, reversed_column, reversed_row},
};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "order",
    is_asked_before: true,
    misconceptions: &[mistake("wrong-reading", "tab=learn&chapter=order")],
    questions: [
        question!(reversed_row),
        question!(reversed_column, Weights),
        question!(distance, Weights),
        question!(near, Weights),
        question!(knows_order),
    ],
};
