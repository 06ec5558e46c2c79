//! Misconceptions and the test of chapter "derived".

use super::questions::{flow_sum, mixed_other, mixed_own, rolled_own, rolled_sum};
use crate::kit::{Kit, mistake, question};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "derived",
    is_asked_before: true,
    misconceptions: &[
        mistake("wrong-weight", "v=2&tab=learn&chapter=derived&head=8"),
        mistake("wrong-rollout", "v=2&tab=learn&chapter=derived&layer=3"),
    ],
    questions: &[
        question!(mixed_own, Weights),
        question!(mixed_other, Weights),
        question!(rolled_own, Weights),
        question!(rolled_sum, Weights),
        question!(flow_sum, Weights),
    ],
};
