//! Misconceptions of page "derived", whose chapter is tested elsewhere.

use crate::kit::{Kit, mistake};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "derived",
    is_asked_before: true,
    misconceptions: &[
        mistake("wrong-weight", "v=2&tab=learn&chapter=derived&head=8"),
        mistake("wrong-rollout", "v=2&tab=learn&chapter=derived&layer=3"),
    ],
    questions: &[],
};
