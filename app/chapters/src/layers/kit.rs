//! Misconceptions and the test of chapter "layers".

use super::questions::{
    dilated_layers, pairs_cost_less, recurrent_steps, score_products, stacked_field,
};
use crate::kit::{Kit, mistake, question};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "layers",
    is_asked_before: true,
    misconceptions: &[
        mistake(
            "wrong-always-cheaper",
            "tab=learn&chapter=layers&counted-n=4096",
        ),
        mistake(
            "wrong-sees-all",
            "v=2&tab=learn&chapter=layers&layers-k=2&layers-dilated=1&stage=4",
        ),
        mistake("wrong-fully-connected", "tab=learn&chapter=layers"),
    ],
    questions: &[
        question!(recurrent_steps),
        question!(stacked_field),
        question!(dilated_layers),
        question!(score_products),
        question!(pairs_cost_less),
    ],
};
