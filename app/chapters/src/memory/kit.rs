//! Misconceptions and the test of page "memory", which is also that of page "flash".

use super::questions::{
    averaged_layer, averaged_layer_raises, averaged_layers, early_or_late, first_and_last,
    kept_numbers, scores_without, wrong_of_blocks,
};
use crate::kit::{Kit, mistake, question};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "memory",
    is_asked_before: true,
    misconceptions: &[mistake("wrong-other-numbers", "tab=learn&chapter=memory")],
    questions: &[
        question!(kept_numbers),
        question!(scores_without),
        question!(Causal: averaged_layer by averaged_layers),
        question!(Causal: averaged_layer_raises by averaged_layers),
        question!(Why: early_or_late by first_and_last),
        question!(Error: wrong_of_blocks, Weights),
    ],
};
