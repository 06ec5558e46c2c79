//! Misconceptions and the test of chapter "roles".

use super::questions::{
    above_chance, given_role, given_role_raises, given_roles, head_off, on_first, role_and_need,
    wrong_of_role,
};
use crate::kit::{Kit, mistake, question};

/// The chapter's misconceptions and test.
pub static KIT: Kit = Kit {
    chapter: "roles",
    is_asked_before: true,
    misconceptions: &[
        mistake(
            "wrong-name",
            "show=claim&tool=roles&roles=1&roles-of=sentences",
        ),
        mistake(
            "wrong-weight",
            "show=claim&tool=roles&roles=1&roles-of=sentences&role=end",
        ),
    ],
    questions: &[
        question!(above_chance, Weights),
        question!(on_first, Weights),
        question!(Causal: given_role by given_roles),
        question!(Causal: given_role_raises by given_roles),
        question!(Why: role_and_need by head_off, Weights),
        question!(Error: wrong_of_role, Weights),
    ],
};
