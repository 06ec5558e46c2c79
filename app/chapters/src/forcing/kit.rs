//! Misconceptions and the test of chapter "forcing".

use crate::kit::{
    Kit, mistake, question,
    questions::{forced_passes, loss, perplexity, predictions, text_loss},
};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "forcing",
    is_asked_before: true,
    misconceptions: &[mistake("wrong-own-text", "tab=learn&chapter=forcing")],
    questions: [
        question!(predictions),
        question!(forced_passes),
        question!(loss),
        question!(text_loss),
        question!(perplexity),
    ],
};
