//! Misconceptions and the test of chapter "norms".

use super::questions::{
    added_angle, layer_off, length_and_effect, normed, sublayer_off, sublayer_off_changes,
    sublayers_for_step, sublayers_off, wrong_of_norm,
};
use crate::kit::{Kit, mistake, question};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "norms",
    is_asked_before: true,
    misconceptions: &[mistake("wrong-batch", "tab=learn&chapter=norms&norm=batch")],
    questions: &[
        question!(normed, Stream),
        question!(added_angle, Stream, AttentionOut),
        question!(Causal: sublayer_off by sublayers_off),
        question!(Causal: sublayer_off_changes by sublayers_for_step),
        question!(Why: length_and_effect by layer_off, AttentionOut, FeedForwardOut),
        question!(Error: wrong_of_norm, Stream),
    ],
};
