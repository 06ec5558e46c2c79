//! Questions that figures ask of the engine beside runs, how each kind is asked, and their answers.

use std::sync::Arc;

use attention_protocol::{
    Answer as WorkerAnswer, Failure, Partial, ResultQuestion, RolesTurn, TextQuestion,
};
use attention_trace::{
    Array, Excerpt, ForcedToken, LensAnswer, LensQuestion, PatchedCell, PatchingAnswer,
    PatchingEnds, PatchingQuestion, Series, SeriesQuestion, Turn, roles::RolesProgress,
};

use super::data::Job;
use crate::state::Model;

/// A question, by what it is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// About the result on screen. The answer belongs to that result.
    Shown(ResultQuestion),
    /// About the text of a job, with the job's changes. The answer belongs to the job's model.
    Text(Box<Job>, TextQuestion),
    /// About patched runs of a model. The answer belongs to the model.
    Patching(Model, PatchingQuestion),
    /// About many passes of a model. The answer belongs to the model.
    Series(Model, SeriesQuestion),
    /// About the roles of a model's heads. The answer belongs to the model.
    Roles(Model, RolesTurn),
    /// About the text of a conversation with a model. The answer belongs to the model.
    Chat(Model, Vec<Turn>),
}

/// The rules for asking a question and keeping its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Its turn among those that are asked one by one: the least first.
    pub turn: u8,
    /// True if all questions of one moment are sent in one request, even during a run. Others are sent one by one while
    /// nothing runs, so that a run never waits for more than one of them.
    pub is_gathered: bool,
    /// The bytes that answers which no figure needs may take; the oldest make room.
    pub spare_bytes: usize,
    /// True if the worker stops computing the answer when no figure needs it, when the visitor says so, and at a run,
    /// after which it is asked anew.
    pub is_stoppable: bool,
    /// True if it is asked once more automatically when it fails, and then is a problem of the page. A failure of
    /// others is for their figures to show.
    pub is_retried: bool,
}

impl Policy {
    const ONE_BY_ONE: Policy = Policy {
        turn: 0,
        is_gathered: false,
        spare_bytes: 0,
        is_stoppable: false,
        is_retried: false,
    };
}

impl Question {
    /// Returns the question for a part of the result on screen.
    pub fn part(excerpt: Excerpt) -> Self {
        Question::Shown(ResultQuestion::Parts(vec![excerpt]))
    }

    /// Returns the rules for asking the question and keeping its answer.
    pub fn policy(&self) -> Policy {
        match self {
            Question::Shown(ResultQuestion::Parts(_)) => Policy {
                is_gathered: true,
                spare_bytes: 32 << 20,
                is_retried: true,
                ..Policy::ONE_BY_ONE
            },
            // There may be hundreds of them.
            Question::Text(_, TextQuestion::Score { .. }) => Policy {
                turn: 3,
                ..Policy::ONE_BY_ONE
            },
            Question::Text(..) | Question::Chat(..) => Policy::ONE_BY_ONE,
            // After all others, which take their turns between its own.
            Question::Roles(..) => Policy {
                turn: 4,
                ..Policy::ONE_BY_ONE
            },
            Question::Shown(_) => Policy {
                turn: 1,
                ..Policy::ONE_BY_ONE
            },
            Question::Patching(..) | Question::Series(..) => Policy {
                turn: 2,
                is_stoppable: true,
                ..Policy::ONE_BY_ONE
            },
        }
    }

    /// True if the question is about the result on screen.
    pub fn is_of_shown(&self) -> bool {
        matches!(self, Question::Shown(_))
    }

    /// Adds the parts of another question to the same request.
    pub fn gather(&mut self, other: Question) {
        if let (
            Question::Shown(ResultQuestion::Parts(own)),
            Question::Shown(ResultQuestion::Parts(other)),
        ) = (self, other)
        {
            own.extend(other);
        }
    }
}

impl From<LensQuestion> for Question {
    fn from(question: LensQuestion) -> Self {
        Question::Shown(ResultQuestion::Lens(question))
    }
}

/// A target that a model is given to read after the text of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct ForcedTarget {
    /// The model, the text and what is changed.
    pub job: Job,
    pub target: String,
}

impl From<ForcedTarget> for Question {
    fn from(ForcedTarget { job, target }: ForcedTarget) -> Self {
        // As in the text, spaces at the ends do not count: the last one may precede a word still to be typed.
        let target = target.trim().to_owned();
        Question::Text(Box::new(job), TextQuestion::Force { target })
    }
}

/// A question about patched runs of a model. Texts are as the model reads them.
#[derive(Clone, Debug, PartialEq)]
pub struct PatchingAsked {
    /// The model whose runs are patched.
    pub model: Model,
    /// The question about the patched runs.
    pub question: PatchingQuestion,
}

impl From<PatchingAsked> for Question {
    fn from(PatchingAsked { model, question }: PatchingAsked) -> Self {
        Question::Patching(model, question)
    }
}

/// A question that many passes of a model answer.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesAsked {
    /// The model that makes the passes.
    pub model: Model,
    /// The question about the passes.
    pub question: SeriesQuestion,
}

impl From<SeriesAsked> for Question {
    fn from(SeriesAsked { model, question }: SeriesAsked) -> Self {
        Question::Series(model, question)
    }
}

/// An answer, its buffer already read.
#[derive(Clone, Debug)]
pub enum Answer {
    /// One without a buffer.
    Plain(WorkerAnswer),
    /// Arrays; `None` for each that does not exist.
    Arrays(Vec<Option<Arc<Array>>>),
}

impl Answer {
    /// The answers to questions that were gathered into one request, each with its array.
    pub fn split(self) -> Vec<Answer> {
        match self {
            Answer::Plain(_) => Vec::new(),
            Answer::Arrays(arrays) => {
                let one = |array| Answer::Arrays(vec![array]);
                arrays.into_iter().map(one).collect()
            }
        }
    }

    /// The bytes of its arrays.
    pub fn bytes(&self) -> usize {
        match self {
            Answer::Plain(_) => 0,
            Answer::Arrays(arrays) => {
                let bytes = |array: &Arc<Array>| array.bytes().len();
                arrays.iter().flatten().map(bytes).sum()
            }
        }
    }
}

/// The state of a question's answer.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The part of the answer that came before it is whole.
    pub partial: Option<Arc<Partial>>,
    /// The answer, or why there is none; `None` as long as it is not answered.
    pub end: Option<Result<Arc<Answer>, Failure>>,
}

impl PartialEq for Known {
    // An answer may be megabytes: the same one is the same allocation.
    fn eq(&self, other: &Self) -> bool {
        let is_same_partial = match (&self.partial, &other.partial) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (own, other) => own.is_none() && other.is_none(),
        };
        let is_same_end = match (&self.end, &other.end) {
            (Some(Ok(own)), Some(Ok(other))) => Arc::ptr_eq(own, other),
            (Some(Err(own)), Some(Err(other))) => own == other,
            (own, other) => own.is_none() && other.is_none(),
        };
        is_same_partial && is_same_end
    }
}

/// The model's probabilities for the tokens of a given target, or the reason for their absence.
pub type Forced = Result<Arc<[ForcedToken]>, Failure>;

/// The lens's reading of the residual stream of the result on screen, or the reason for its absence.
pub type LensRead = Result<Arc<LensAnswer>, Failure>;

/// The state of a question about patched runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PatchingRead {
    /// Cells of a map, in the order in which they were computed.
    pub cells: Arc<Vec<PatchedCell>>,
    /// The number of cells in all; 0 until it is known.
    pub total: usize,
    /// The two ends of the scale on which the cells are measured.
    pub ends: Option<PatchingEnds>,
    /// The answer, or why there is none; `None` as long as it is not answered.
    pub end: Option<Result<Arc<PatchingAnswer>, Failure>>,
}

/// The state of a question that many passes answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeriesRead {
    /// The part that is known so far, or all of it.
    pub known: Option<Series>,
    /// True if it is answered, or the reason for its end; `None` while it is computed or waits.
    pub end: Option<Result<(), Failure>>,
}

impl Known {
    /// The answer as `read` finds it; `None` where there is none of that kind.
    fn read<T>(&self, read: impl FnOnce(&WorkerAnswer) -> Option<T>) -> Option<Result<T, Failure>> {
        match self.end.as_ref()? {
            Ok(answer) => match answer.as_ref() {
                Answer::Plain(answer) => read(answer).map(Ok),
                Answer::Arrays(_) => None,
            },
            Err(failure) => Some(Err(failure.clone())),
        }
    }

    pub fn array(&self) -> Option<Arc<Array>> {
        // The engine has made a failure its problem.
        match self.end.as_ref()?.as_ref().ok()?.as_ref() {
            Answer::Arrays(arrays) => arrays.first().cloned().flatten(),
            Answer::Plain(_) => None,
        }
    }

    /// Returns the model's probabilities for the tokens of a given target.
    pub fn forced(&self) -> Option<Forced> {
        self.read(|answer| match answer {
            WorkerAnswer::Forced(tokens) => Some(tokens.as_slice().into()),
            _ => None,
        })
    }

    /// Returns the lens's reading of a residual stream.
    pub fn lens(&self) -> Option<LensRead> {
        self.read(|answer| match answer {
            WorkerAnswer::Lens(answer) => Some(Arc::new(answer.clone())),
            _ => None,
        })
    }

    /// Returns the text of a conversation.
    pub fn chat(&self) -> Option<Result<String, Failure>> {
        self.read(|answer| match answer {
            WorkerAnswer::Chat(text) => Some(text.clone()),
            _ => None,
        })
    }

    /// Returns the progress of a measurement of roles, and the roles if they came, as JSON.
    pub fn roles(&self) -> Option<Result<(RolesProgress, Option<String>), Failure>> {
        self.read(|answer| match answer {
            WorkerAnswer::Roles { progress, set } => Some((progress.clone(), set.clone())),
            _ => None,
        })
    }

    /// Returns what is known of a series of passes.
    pub fn series(&self) -> SeriesRead {
        let whole = self.read(|answer| match answer {
            WorkerAnswer::Series(series) => Some(series.clone()),
            _ => None,
        });
        let partial = match self.partial.as_deref() {
            Some(Partial::Series(series)) => Some(series.clone()),
            _ => None,
        };
        match whole {
            Some(Ok(series)) => SeriesRead {
                known: Some(series),
                end: Some(Ok(())),
            },
            Some(Err(failure)) => SeriesRead {
                known: partial,
                end: Some(Err(failure)),
            },
            None => SeriesRead {
                known: partial,
                end: None,
            },
        }
    }

    /// Returns the results of patched runs.
    pub fn patching(&self) -> PatchingRead {
        let end = self.read(|answer| match answer {
            WorkerAnswer::Patching(answer) => Some(Arc::new(answer.clone())),
            _ => None,
        });
        let (cells, total, ends) = match (&end, self.partial.as_deref()) {
            (Some(Ok(answer)), partial) => match (answer.as_ref(), partial) {
                (PatchingAnswer::Map(map), _) => {
                    (map.cells.clone(), map.cells.len(), Some(map.ends))
                }
                _ => Default::default(),
            },
            (_, Some(Partial::Patched { cells, total, ends })) => {
                (cells.clone(), *total, Some(*ends))
            }
            (_, Some(Partial::Series(_)) | None) => Default::default(),
        };
        PatchingRead {
            cells: Arc::new(cells),
            total,
            ends,
            end,
        }
    }
}
