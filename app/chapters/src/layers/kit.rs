//! Misconceptions and the test of chapter "layers".

use super::questions::{
    convolved_head, convolved_head_raises, convolved_heads, near_and_all, near_or_all,
    outside_kernel, score_products, wrong_of_path,
};
use crate::kit::{Kit, mistake, question};

/// The chapter's misconceptions and test.
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
        question!(score_products),
        question!(outside_kernel, Weights),
        question!(Causal: convolved_head by convolved_heads),
        question!(Causal: convolved_head_raises by convolved_heads),
        question!(Why: near_or_all by near_and_all),
        question!(Error: wrong_of_path),
    ],
};
