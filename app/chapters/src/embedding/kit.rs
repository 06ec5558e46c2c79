//! Misconceptions and the test of chapter "embedding".

use super::questions::{
    hop_focus, hop_overlap, hops_agree, uniform_hop, uniform_hops, word_hidden, words_hidden,
    wrong_of_penalty,
};
use crate::kit::{Kit, mistake, question};

/// The chapter's misconceptions and test.
pub static KIT: Kit = Kit {
    chapter: "embedding",
    is_asked_before: true,
    misconceptions: &[
        mistake("wrong-hops-agree", "tab=learn&chapter=embedding&hops=free"),
        mistake(
            "wrong-is-lstmn",
            "model=sentences&text=The+FBI+is+chasing+a+criminal+on+the+run+.&tab=learn&chapter=embedding",
        ),
    ],
    questions: &[
        question!(hop_overlap, LayerWeights),
        question!(hop_focus, LayerWeights),
        question!(Causal: uniform_hop by uniform_hops),
        question!(Causal: word_hidden by words_hidden),
        question!(Why: hops_agree, LayerWeights),
        question!(Error: wrong_of_penalty, LayerWeights),
    ],
};
