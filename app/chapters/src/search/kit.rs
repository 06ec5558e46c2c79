//! Misconceptions and the test of chapter "search".

use super::questions::{
    all_sequences, beam_candidates, greedy_is_best, greedy_product, length_score_of_text,
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
    questions: [
        question!(all_sequences),
        question!(greedy_product),
        question!(greedy_is_best),
        question!(beam_candidates),
        question!(length_score_of_text),
    ],
};
