//! Misconceptions and the test of chapter "roles".

use super::questions::{above_chance, by_chance, is_clear, on_first, on_previous};
use crate::kit::{Kit, mistake, question};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "roles",
    is_asked_before: true,
    misconceptions: &[
        mistake(
            "wrong-name",
            "show=claim&tool=roles&roles=1&roles-of=sentences",
        ),
        mistake(
            "wrong-weight",
            "show=claim&tool=roles&roles=1&roles-of=sentences&role=end",
        ),
    ],
    questions: &[
        question!(on_previous, Weights),
        question!(by_chance),
        question!(above_chance, Weights),
        question!(is_clear, Weights),
        question!(on_first, Weights),
    ],
};
