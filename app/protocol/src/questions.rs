//! What the page asks of a loaded model beside runs, and what it answers.

use attention_trace::{
    Edit, Excerpt, ForcedToken, LensAnswer, LensQuestion, PatchedCell, PatchingAnswer,
    PatchingEnds, PatchingQuestion,
};
use serde::{Deserialize, Serialize};

use crate::RequestId;

/// A question, by what it is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "about", rename_all = "snake_case")]
pub enum Question {
    /// About the result of a run. Refused with [`Failure::NotReady`](crate::Failure::NotReady) if that result is not kept
    /// any more.
    Result {
        /// The run.
        run: RequestId,
        /// What is asked of it.
        question: ResultQuestion,
    },
    /// About a text, in one pass of which nothing is kept.
    Text {
        /// What the model reads; a model that goes on with a text may be given none.
        text: String,
        /// What is changed in the pass.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        edits: Vec<Edit>,
        /// What is asked of it.
        question: TextQuestion,
    },
    /// About patched runs of two texts: one takes over what the other computed. It ends itself with
    /// [`Failure::Cancelled`](crate::Failure::Cancelled) at [`Request::Cancel`](crate::Request::Cancel) or a newer run.
    /// Answered by [`Partial::Patched`] as cells of a map are known, then [`Answer::Patching`].
    Patching {
        /// What is asked.
        question: PatchingQuestion,
    },
}

/// What is asked of a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultQuestion {
    /// Parts that did not come with it: arrays that were too large, those that the run did not record, parameters of the
    /// checkpoint. All that the run did not record, of one list of edits, is made by one pass. Answered by
    /// [`Answer::Arrays`], one for each part.
    Parts(Vec<Excerpt>),
    /// Its residual stream, in one pass with the edits of the result: layer by layer as logits, or a logit as the sum of
    /// what the parts of the model add to it. Answered by [`Answer::Lens`].
    Lens(LensQuestion),
}

/// What is asked of a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextQuestion {
    /// The probability of each token of a given target. Answered by [`Answer::Arrays`], two of them: `log p` of each
    /// token, and its rank from 1 among those that decoding may write.
    Score {
        /// The tokens.
        target: Vec<u32>,
    },
    /// The same of a target that the visitor wrote, which the worker cuts into tokens, with the most probable token in the
    /// place of each. Answered by [`Answer::Forced`].
    Force {
        /// The target.
        target: String,
    },
}

/// What is answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Arrays; the message's buffer is their numbers one after the other, f32 in the machine's order.
    Arrays {
        /// Of each array in turn, its length along each axis; `None` where there is no such array.
        shapes: Vec<Option<Vec<usize>>>,
    },
    /// Of [`TextQuestion::Force`]: the tokens in their order, the end included.
    Forced(Vec<ForcedToken>),
    /// Of [`ResultQuestion::Lens`].
    Lens(LensAnswer),
    /// Of [`Question::Patching`].
    Patching(PatchingAnswer),
}

/// What is known of an answer before it is whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Partial {
    /// Cells of a map of patched runs.
    Patched {
        /// Those that are known since the last such message.
        cells: Vec<PatchedCell>,
        /// The number of cells in all.
        total: usize,
        /// What they are measured by.
        ends: PatchingEnds,
    },
}

impl Partial {
    /// Takes in what has become known since.
    pub fn extend(&mut self, newer: Partial) {
        let Partial::Patched { cells, total, ends } = self;
        let Partial::Patched {
            cells: newer,
            total: newer_total,
            ends: newer_ends,
        } = newer;
        for cell in newer {
            let place = |known: &PatchedCell| (known.row, known.column);
            match cells.iter_mut().find(|known| place(known) == place(&cell)) {
                Some(known) => *known = cell,
                None => cells.push(cell),
            }
        }
        (*total, *ends) = (newer_total, newer_ends);
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::{Site, Slice};

    use super::*;

    #[test]
    fn every_question_survives_the_way_to_the_worker() {
        let questions = [
            Question::Result {
                run: 7,
                question: ResultQuestion::Parts(vec![Excerpt::new(Site::LOGITS, Slice::Whole)]),
            },
            Question::Result {
                run: 7,
                question: ResultQuestion::Lens(LensQuestion::Layers { words: 3 }),
            },
            Question::Text {
                text: "a".to_owned(),
                edits: vec![Edit::WithoutPositions],
                question: TextQuestion::Score { target: vec![4, 5] },
            },
            Question::Text {
                text: "a".to_owned(),
                edits: vec![],
                question: TextQuestion::Force {
                    target: "b".to_owned(),
                },
            },
            Question::Patching {
                question: PatchingQuestion::Runs {
                    text: "a".to_owned(),
                    other: "b".to_owned(),
                    step: None,
                    max_new_tokens: 8,
                },
            },
        ];
        for question in questions {
            let json = serde_json::to_string(&question).unwrap();
            assert_eq!(
                serde_json::from_str::<Question>(&json).unwrap(),
                question,
                "{json}"
            );
        }
    }

    #[test]
    fn a_cell_that_is_known_again_takes_the_place_of_its_older_self() {
        let patched = |column, difference, other| Partial::Patched {
            cells: vec![PatchedCell {
                row: 0,
                column,
                difference,
            }],
            total: 2,
            ends: PatchingEnds { clean: 1.0, other },
        };
        let mut known = patched(0, 0.25, -1.0);
        known.extend(patched(1, 0.5, -1.0));
        known.extend(patched(0, 0.75, -2.0));
        let Partial::Patched { cells, total, ends } = known;
        let differences: Vec<f32> = cells.iter().map(|cell| cell.difference).collect();
        assert_eq!((differences, total, ends.other), (vec![0.75, 0.5], 2, -2.0));
    }
}
