//! Misconceptions and the test of chapter "training".

use crate::kit::{
    Kit, mistake, question,
    questions::{certain, even_loss, gradient, loss, perplexity},
};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "training",
    is_asked_before: true,
    misconceptions: &[mistake("wrong-certain", "show=next")],
    questions: [
        question!(even_loss),
        question!(loss),
        question!(gradient),
        question!(perplexity),
        question!(certain),
    ],
};
