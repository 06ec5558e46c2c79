//! Misconceptions and the test of chapter "image".

use super::questions::{
    beyond_a_kernel, more_than_a_sentence, seen_before, sentence_weights, twice_the_side,
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
        question!(sentence_weights),
        question!(more_than_a_sentence),
        question!(twice_the_side),
        question!(seen_before),
        question!(beyond_a_kernel),
    ],
};
