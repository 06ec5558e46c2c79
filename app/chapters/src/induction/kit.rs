//! Misconceptions and the test of chapter "induction".

use super::questions::{
    above_chance, first_or_last, heads_most, heads_off, heads_off_for_step, heads_raise,
    near_first_or_last, repeated_place, wrong_of_chance,
};
use crate::kit::{Kit, mistake, question};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "induction",
    is_asked_before: true,
    misconceptions: &[
        mistake("wrong-copy", "tab=learn&chapter=induction&model=induction"),
        mistake("wrong-one", "tab=learn&chapter=induction&model=induction"),
    ],
    questions: &[
        question!(repeated_place),
        question!(above_chance, Weights),
        question!(Causal: heads_most by heads_off),
        question!(Causal: heads_raise by heads_off_for_step),
        question!(Why: near_first_or_last by first_or_last),
        question!(Error: wrong_of_chance, Weights),
    ],
};
