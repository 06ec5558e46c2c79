//! Questions of the page about a loaded model, apart from runs, and their answers.

use attention_trace::{
    Edit, Excerpt, ForcedToken, LensAnswer, LensQuestion, PatchedCell, PatchingAnswer,
    PatchingEnds, PatchingQuestion, Series, SeriesQuestion, Turn,
    roles::{RolesProgress, RolesQuestion},
};
use serde::{Deserialize, Serialize};

use crate::RequestId;

/// A question about a result, a text, or two patched runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// A question about the result of a run. Refused with [`Failure::NotReady`](crate::Failure::NotReady) if that
    /// result is no longer kept.
    Result {
        /// The number of the run's request.
        run: RequestId,
        /// The question about the result.
        question: ResultQuestion,
    },
    /// A question about a text, answered by one pass whose arrays are not kept.
    Text {
        /// The text that the model reads; may be empty for a model that continues a text.
        text: String,
        /// The edits applied in the pass.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        edits: Vec<Edit>,
        /// The question about the text.
        question: TextQuestion,
    },
    /// A question about patched runs of two texts: one run takes over activations of the other. Ends early with
    /// [`Failure::Cancelled`](crate::Failure::Cancelled) at [`Request::Cancel`](crate::Request::Cancel) or a newer run.
    /// Answered by [`Partial::Patched`] as cells of a map become known, then [`Answer::Patching`].
    Patching {
        /// The question about the two runs.
        question: PatchingQuestion,
    },
    /// A question that is answered by many passes over texts. Ends early as [`Question::Patching`]. Answered by
    /// [`Partial::Series`] after some of the passes, then [`Answer::Series`].
    Series {
        /// The question about the passes.
        question: SeriesQuestion,
    },
    /// The roles of all heads on many sentences. The worker keeps what it has measured and goes on with it at the next
    /// such question, so that others are answered in between. Answered by [`Answer::Roles`] after a part of the sentences.
    Roles(RolesTurn),
    /// The text of a conversation, as the chat template of the model writes it. Refused with
    /// [`Failure::Template`](crate::Failure::Template) if the template refuses it. Answered by [`Answer::Chat`].
    Chat {
        /// The turns of the conversation, the system message first if there is one.
        turns: Vec<Turn>,
    },
}

/// A turn of the measurement of roles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RolesTurn {
    /// The question, the same in every turn.
    pub question: RolesQuestion,
    /// The number of the turn, so that no two are equal.
    pub turn: usize,
    /// True if more sentences are read; otherwise the roles on those read so far are returned.
    pub reads: bool,
    /// True if the roles on what was read are returned.
    pub returns: bool,
}

/// A question about the result of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultQuestion {
    /// Parts that did not come with the result: arrays that were too large, arrays that the run did not record,
    /// parameters of the checkpoint. One pass computes all unrecorded arrays that have the same list of edits. Answered
    /// by [`Answer::Arrays`], one for each part.
    Parts(Vec<Excerpt>),
    /// The residual stream, in one pass with the edits of the result: logits layer by layer, or a logit as the sum of
    /// the contributions of the model's parts. Answered by [`Answer::Lens`].
    Lens(LensQuestion),
}

/// A question about a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextQuestion {
    /// The probability of each token of a given target. Answered by [`Answer::Arrays`], two of them: `log p` of each
    /// token, and its rank from 1 among the tokens that decoding may write.
    Score {
        /// The tokens of the target.
        target: Vec<u32>,
    },
    /// The same for a target written by the visitor, which the worker splits into tokens, with the most probable token
    /// at each position. Answered by [`Answer::Forced`].
    Force {
        /// The text of the target.
        target: String,
    },
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Arrays; the message's buffer holds their numbers one after the other, as f32 in native byte order.
    Arrays {
        /// The shape of each array in turn; `None` where there is no such array.
        shapes: Vec<Option<Vec<usize>>>,
    },
    /// The answer to [`TextQuestion::Force`]: the tokens in their order, the end included.
    Forced(Vec<ForcedToken>),
    /// The answer to [`ResultQuestion::Lens`].
    Lens(LensAnswer),
    /// The answer to [`Question::Patching`].
    Patching(PatchingAnswer),
    /// The answer to [`Question::Series`].
    Series(Series),
    /// The answer to [`Question::Chat`]: the text that the model reads.
    Chat(String),
    /// The answer to [`Question::Roles`].
    Roles {
        /// The progress of the measurement.
        progress: RolesProgress,
        /// The roles on what was read, a [`RoleSet`](attention_trace::roles::RoleSet) as JSON, which the page's main
        /// module does not parse; `None` if they were not asked for.
        set: Option<String>,
    },
}

/// A part of an answer that is known before the rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Partial {
    /// Some cells of a map of patched runs.
    Patched {
        /// The cells that became known after the last such message.
        cells: Vec<PatchedCell>,
        /// The number of cells in all.
        total: usize,
        /// The two ends of the scale that measures the cells.
        ends: PatchingEnds,
    },
    /// All that is known of a series so far.
    Series(Series),
}

impl Partial {
    /// Adds the parts that became known later.
    pub fn extend(&mut self, newer: Partial) {
        let (
            Partial::Patched { cells, total, ends },
            Partial::Patched {
                cells: newer,
                total: newer_total,
                ends: newer_ends,
            },
        ) = (&mut *self, newer.clone())
        else {
            *self = newer;
            return;
        };
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
    use attention_trace::{Role, Site, Slice};

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
            Question::Series {
                question: SeriesQuestion::Decoding {
                    text: "a".to_owned(),
                    tokens: 8,
                },
            },
            Question::Chat {
                turns: vec![Turn::new(Role::User, "a")],
            },
            Question::Roles(RolesTurn {
                question: RolesQuestion {
                    sentences: vec![],
                    forced: vec![],
                    seed: 16,
                },
                turn: 2,
                reads: true,
                returns: false,
            }),
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
    fn a_series_is_replaced_by_what_is_known_later() {
        let partial = |total| {
            Partial::Series(Series::Times {
                times: vec![],
                total,
            })
        };
        let mut known = partial(1);
        known.extend(partial(2));
        assert_eq!(known, partial(2));
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
        let Partial::Patched { cells, total, ends } = known else {
            panic!("{known:?}");
        };
        let differences: Vec<f32> = cells.iter().map(|cell| cell.difference).collect();
        assert_eq!((differences, total, ends.other), (vec![0.75, 0.5], 2, -2.0));
    }
}
