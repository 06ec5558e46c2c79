//! Misconceptions and the test of chapter "sizes".

use super::questions::{
    feed_forward_products, map_weights, part_pruned, part_pruned_changes, parts_pruned,
    size_and_effect, two_sizes, wrong_of_sizes,
};
use crate::kit::{Kit, mistake, question};

/// The chapter's misconceptions and test.
pub static KIT: Kit = Kit {
    chapter: "sizes",
    is_asked_before: true,
    misconceptions: &[mistake("wrong-quadratic", "tab=learn&chapter=sizes")],
    questions: &[
        question!(map_weights),
        question!(feed_forward_products),
        question!(Causal: part_pruned by parts_pruned),
        question!(Causal: part_pruned_changes by parts_pruned),
        question!(Why: size_and_effect by two_sizes),
        question!(Error: wrong_of_sizes),
    ],
};
