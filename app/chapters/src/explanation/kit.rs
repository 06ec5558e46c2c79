//! Misconceptions and the test of chapter "explanation".

use super::questions::{moved_to_uniform, permuted_spread, permuted_top, swapped, uniform_weight};
use crate::kit::{Kit, mistake, question};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "explanation",
    is_asked_before: true,
    misconceptions: &[
        mistake(
            "wrong-because",
            "v=2&tab=learn&chapter=explanation&kind=encoder&layer=1&reweighed=permuted.0.encoder.1.1",
        ),
        mistake(
            "wrong-useless",
            "tab=learn&chapter=explanation&explained-where=all&reweighed=uniform.all",
        ),
    ],
    questions: &[
        question!(uniform_weight),
        question!(permuted_top, Weights),
        question!(swapped, Weights),
        question!(moved_to_uniform, Weights),
        question!(permuted_spread, Weights),
    ],
};
