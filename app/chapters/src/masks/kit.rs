//! Misconceptions and the test of chapter "masks".

use super::questions::{
    after_masking, before_and_after, masked, masked_for_step, masked_key, masked_key_raises,
    masked_keys, softmax_and_mask, wrong_of_mask,
};
use crate::kit::{Kit, mistake, question};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "masks",
    is_asked_before: true,
    misconceptions: &[mistake("wrong-after-softmax", "tab=learn&chapter=masks")],
    questions: &[
        question!(masked),
        question!(after_masking, Weights),
        question!(Causal: masked_key by masked_keys),
        question!(Causal: masked_key_raises by masked_for_step),
        question!(Why: softmax_and_mask by before_and_after, Weights),
        question!(Error: wrong_of_mask, Weights),
    ],
};
