//! Misconceptions and the test of chapter "patching".

use super::questions::{
    brought_back, early_or_late, reached_positions, token_patched, token_patched_changes,
    tokens_patched, two_depths, wrong_of_share,
};
use crate::kit::{Kit, mistake, question};

/// The chapter's misconceptions and test.
pub static KIT: Kit = Kit {
    chapter: "patching",
    is_asked_before: true,
    misconceptions: &[
        mistake(
            "wrong-needed",
            "tab=learn&chapter=patching&patch-into=clean",
        ),
        mistake("wrong-sums", "tab=learn&chapter=patching"),
    ],
    questions: &[
        question!(reached_positions),
        question!(brought_back),
        question!(Causal: token_patched by tokens_patched, FirstStream),
        question!(Causal: token_patched_changes by tokens_patched, FirstStream),
        question!(Why: early_or_late by two_depths, FirstStream, LastStream),
        question!(Error: wrong_of_share),
    ],
};
