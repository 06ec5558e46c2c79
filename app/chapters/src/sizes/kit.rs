//! Misconceptions and the test of chapter "sizes".

use crate::kit::{
    Kit, mistake, question,
    questions::{
        attention_parameters, doubled, embedding_parameters, feed_forward_parameters,
        query_parameters,
    },
};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "sizes",
    is_asked_before: true,
    misconceptions: &[mistake("wrong-quadratic", "tab=learn&chapter=sizes")],
    questions: &[
        question!(query_parameters),
        question!(attention_parameters),
        question!(feed_forward_parameters),
        question!(embedding_parameters),
        question!(doubled),
    ],
};
