//! Misconceptions of page "alignment", whose chapter is tested elsewhere.

use crate::kit::{Kit, mistake};

/// Misconceptions and the test.
pub static KIT: Kit = Kit {
    chapter: "alignment",
    is_asked_before: true,
    misconceptions: &[
        mistake(
            "wrong-label",
            "tab=learn&chapter=alignment&aligned-row=reading",
        ),
        mistake("wrong-end", "tab=learn&chapter=alignment&aligned-end=kept"),
    ],
    questions: &[],
};
