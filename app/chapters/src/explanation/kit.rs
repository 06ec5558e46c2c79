//! Misconceptions and the test of chapter "explanation".

use super::questions::{
    moved_to_uniform, permuted_reason, replaced_by, replacements, shuffled_changes, shuffled_layer,
    shuffled_layers, swapped, wrong_of_moved,
};
use crate::kit::{Kit, mistake, question};

/// The chapter's misconceptions and test.
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
        question!(swapped, Weights),
        question!(moved_to_uniform, Weights),
        question!(Causal: replaced_by by replacements, Weights),
        question!(Causal: shuffled_changes by shuffled_layers),
        question!(Why: permuted_reason by shuffled_layer, LayerWeights),
        question!(Error: wrong_of_moved, Weights),
    ],
};
