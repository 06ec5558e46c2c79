//! Misconceptions and the test of chapter "image".

use super::questions::{
    far_weight, gamma_moves, gamma_raises, gammas, kept_near, near_is_enough, with_gamma,
    wrong_of_gamma,
};
use crate::kit::{Kit, mistake, question};

/// The chapter's misconceptions and test.
pub static KIT: Kit = Kit {
    chapter: "image",
    is_asked_before: true,
    misconceptions: &[
        mistake("wrong-explains", "v=2&tab=learn&chapter=image&picture=17"),
        mistake(
            "wrong-knows-place",
            "v=2&tab=learn&chapter=image&image-cell=1",
        ),
    ],
    questions: &[
        question!(with_gamma, Stream, AttentionOut),
        question!(far_weight, Weights, OtherWeights),
        question!(Causal: gamma_moves by gammas),
        question!(Causal: gamma_raises by gammas),
        question!(Why: near_is_enough by kept_near, LayerWeights),
        question!(Error: wrong_of_gamma, Stream, AttentionOut),
    ],
};
