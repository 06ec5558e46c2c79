//! Misconceptions and the test of chapter "alignment".

use super::questions::{end_out, one_possible, one_wrong, reading_row, writing_row};
use crate::kit::{Kit, mistake, question};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "alignment",
    is_asked_before: true,
    misconceptions: &[
        mistake(
            "wrong-label",
            "tab=learn&chapter=alignment&aligned-row=reading",
        ),
        mistake("wrong-end", "tab=learn&chapter=alignment&aligned-end=kept"),
    ],
    questions: &[
        question!(writing_row),
        question!(reading_row),
        question!(one_wrong),
        question!(one_possible),
        question!(end_out, Weights),
    ],
};
