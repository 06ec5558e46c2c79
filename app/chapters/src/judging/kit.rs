//! Misconceptions of page "judging", whose chapter is tested elsewhere.

use crate::kit::{Kit, mistake};

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
    questions: &[],
};
