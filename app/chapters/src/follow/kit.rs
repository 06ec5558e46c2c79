//! Misconceptions and the test of chapter "follow".

use super::questions::{
    head_off, head_off_raises, heads_off, made_uniform, uniform_effect, wrong_of_ratio,
};
use crate::kit::{
    Kit, mistake, question,
    questions::{difference, score},
};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "follow",
    is_asked_before: true,
    misconceptions: &[
        mistake("wrong-copy", "v=2&tab=learn&chapter=follow&stage=2"),
        mistake("wrong-symmetric", "kind=encoder"),
    ],
    questions: &[
        question!(difference, Weights),
        question!(score, Scores, ScaledScores),
        question!(Causal: head_off by heads_off),
        question!(Causal: head_off_raises by heads_off),
        question!(Why: uniform_effect by made_uniform, Weights),
        question!(Error: wrong_of_ratio, Scores),
    ],
};
