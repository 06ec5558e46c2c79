//! Misconceptions and the test of chapter "judging".

use super::questions::{bits, bits_perplexity, chain, shortened_brevity, shortened_recall};
use crate::kit::{Kit, mistake, question};

/// The chapter's misconceptions and test.
pub static KIT: Kit = Kit {
    chapter: "judging",
    is_asked_before: true,
    misconceptions: &[
        mistake(
            "wrong-meaning",
            "tab=learn&chapter=judging&judged-reference=She+put+butter+on+the+bread.&judged-candidate=She+put+socks+on+the+bread.&judged-by=words",
        ),
        mistake("wrong-one-bleu", "tab=learn&chapter=judging"),
        mistake(
            "wrong-comparable",
            "model=sentences&tab=learn&chapter=judging",
        ),
    ],
    questions: [
        question!(chain),
        question!(bits),
        question!(bits_perplexity),
        question!(shortened_brevity),
        question!(shortened_recall),
    ],
};
