//! Misconceptions and the test of chapter "search".

use super::questions::{
    beam_candidates, because_of, greedy_changes, length_score_of_text, read_or_written, sampled_by,
    uniform_attentions, wrong_of_score,
};
use crate::kit::{Kit, mistake, question};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "search",
    is_asked_before: true,
    misconceptions: &[
        mistake(
            "wrong-optimal",
            "tab=learn&chapter=search&search-by=exhaustive",
        ),
        mistake(
            "wrong-wider",
            "v=2&tab=learn&chapter=search&search-by=beam&search-k=3&search-alpha=0&stage=4",
        ),
        mistake(
            "wrong-temperature",
            "tab=learn&chapter=search&search-by=sampling&search-t=200",
        ),
    ],
    questions: &[
        question!(beam_candidates),
        question!(length_score_of_text),
        question!(Causal: sampled_by, Logits),
        question!(Causal: greedy_changes by uniform_attentions),
        question!(Why: because_of by read_or_written),
        question!(Error: wrong_of_score),
    ],
};
