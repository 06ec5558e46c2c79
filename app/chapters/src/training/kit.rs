//! Misconceptions and the test of chapter "training".

use super::questions::{loss_falls, loss_reason, loss_without, uniform_layers, wrong_of_learning};
use crate::kit::{
    Kit, mistake, question,
    questions::{gradient, perplexity},
};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "training",
    is_asked_before: true,
    misconceptions: &[mistake("wrong-certain", "show=next")],
    questions: &[
        question!(gradient),
        question!(perplexity),
        question!(Causal: loss_without by uniform_layers),
        question!(Causal: loss_falls by uniform_layers),
        question!(Why: loss_reason),
        question!(Error: wrong_of_learning),
    ],
};
