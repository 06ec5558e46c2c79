//! All questions of all tests, asked of a text without a page: for the census of their answers.

use attention_trace::{Array, Excerpt};

pub use crate::kit::questions::Kind;
use crate::{
    PAGES, Page,
    kit::{
        evidence::{Evidence, Gap},
        questions::{Asked, Question},
    },
};

/// A question of a chapter's test.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    /// The key of the page that has the test.
    pub chapter: &'static str,
    question: &'static Question,
}

/// An answer, as a text that two sentences share only if they have the same answer.
pub type Answered = Result<String, Gap>;

impl Listed {
    /// The name of the question.
    pub fn name(self) -> &'static str {
        self.question.ask.trim_start_matches("ask-")
    }

    /// The kind of the question.
    pub fn kind(self) -> Kind {
        self.question.kind
    }

    /// The right answer for a text, whose arrays `fetch` returns.
    ///
    /// # Errors
    /// The gap that keeps the question from being asked.
    pub fn answer(
        self,
        evidence: &Evidence,
        mut fetch: impl FnMut(&Excerpt) -> Option<Array>,
    ) -> Answered {
        Ok(self
            .asked(evidence, &mut fetch)?
            .expected
            .words(["true", "false"]))
    }

    /// The question for a text, whose arrays `fetch` returns.
    ///
    /// # Errors
    /// The gap that keeps the question from being asked.
    pub fn asked(
        self,
        evidence: &Evidence,
        fetch: &mut impl FnMut(&Excerpt) -> Option<Array>,
    ) -> Result<Asked, Gap> {
        let mut evidence = evidence.clone();
        // The second round has what the trial was named by.
        for _ in 0..2 {
            for excerpt in self.question.excerpts(&evidence) {
                if evidence.array(&excerpt).is_err()
                    && let Some(array) = fetch(&excerpt)
                {
                    evidence.add(excerpt, array);
                }
            }
        }
        (self.question.answer)(&evidence)
    }
}

/// The questions of all tests, chapter by chapter.
pub fn listed() -> Vec<Listed> {
    let of = |page: &'static Page| {
        let kit = page.kit();
        kit.questions.iter().map(|question| Listed {
            chapter: page.name,
            question,
        })
    };
    PAGES.iter().flat_map(of).collect()
}
