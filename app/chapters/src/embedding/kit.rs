//! Misconceptions and the test of chapter "embedding".

use super::questions::{embedding_numbers, hop_total, hop_weights, largest_penalty, tokens_before};
use crate::kit::{Kit, mistake, question};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "embedding",
    is_asked_before: true,
    misconceptions: &[
        mistake("wrong-hops-agree", "tab=learn&chapter=embedding&hops=free"),
        mistake(
            "wrong-is-lstmn",
            "model=sentences&text=The+FBI+is+chasing+a+criminal+on+the+run+.&tab=learn&chapter=embedding",
        ),
    ],
    questions: &[
        question!(tokens_before),
        question!(hop_weights),
        question!(hop_total),
        question!(embedding_numbers),
        question!(largest_penalty),
    ],
};
