//! Misconceptions and the test of chapter "follow".

use crate::kit::{
    Kit, mistake, question,
    questions::{difference, head_width, root, scores, strongest},
};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "follow",
    is_asked_before: true,
    misconceptions: &[
        mistake("wrong-copy", "v=2&tab=learn&chapter=follow&stage=2"),
        mistake("wrong-symmetric", "kind=encoder"),
    ],
    questions: [
        question!(head_width),
        question!(root),
        question!(scores),
        question!(strongest, Weights),
        question!(difference, Weights),
    ],
};
