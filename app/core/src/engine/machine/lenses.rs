//! What the residual stream of the result on screen says: layer by layer, and as the sum of the parts that wrote it.
//!
//! One pass each. They are asked for one by one while nothing runs, as scores are, and belong to one result: another one
//! on screen is asked anew.

use attention_protocol::RequestId;
use attention_trace::LensQuestion;

use super::{
    super::data::{Command, LensRead},
    Engine,
};

/// What is asked for and what is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Lenses {
    /// What figures need now, once for each figure.
    on_screen: Vec<LensQuestion>,
    /// Of questions that a figure has.
    known: Vec<(LensQuestion, LensRead)>,
    asked: Option<Asked>,
}

#[derive(Clone, Debug)]
struct Asked {
    worker: u32,
    id: RequestId,
    /// The run that it is asked of.
    run: RequestId,
    question: LensQuestion,
}

impl Lenses {
    /// A figure has a question. What failed before is asked once more.
    pub(super) fn want(&mut self, question: LensQuestion) {
        self.known
            .retain(|(known, answer)| *known != question || answer.is_ok());
        self.on_screen.push(question);
    }

    /// A figure does not have it any more.
    pub(super) fn leave(&mut self, question: &LensQuestion) {
        if let Some(index) = self.on_screen.iter().position(|wanted| wanted == question) {
            self.on_screen.swap_remove(index);
        }
        let Self {
            on_screen, known, ..
        } = self;
        known.retain(|(known, _)| on_screen.contains(known));
    }

    /// Forgets what belongs to a result that is on screen no more.
    pub(super) fn forget(&mut self) {
        self.known.clear();
    }

    fn find(&self, question: &LensQuestion) -> Option<&LensRead> {
        let known = self.known.iter().find(|(known, _)| known == question);
        known.map(|(_, answer)| answer)
    }
}

impl Engine {
    /// What the residual stream of the result on screen says, or why it says nothing; `None` as long as it is not answered.
    pub fn lens(&self, question: &LensQuestion) -> Option<LensRead> {
        self.lenses.find(question).cloned()
    }

    /// Asks for what a figure needs next, unless the worker has something else to do.
    pub(super) fn look(&mut self) -> Vec<Command> {
        let is_busy = self.running.is_some() || self.waiting;
        if is_busy || self.awaits_answer() {
            return Vec::new();
        }
        let mut wanted = self.lenses.on_screen.iter();
        let next = wanted.find(|question| self.lenses.find(question).is_none());
        let (Some(run), Some(question)) = (self.shown_run, next.cloned()) else {
            return Vec::new();
        };
        let (worker, id) = (self.worker, self.next_id());
        self.lenses.asked = Some(Asked {
            worker,
            id,
            run,
            question: question.clone(),
        });
        vec![Command::Lens {
            worker,
            id,
            run,
            question,
        }]
    }

    /// Whether the worker that answers is busy with a residual stream.
    pub(super) fn awaits_lens(&self) -> bool {
        let asked = self.lenses.asked.as_ref();
        asked.is_some_and(|asked| asked.worker == self.worker)
    }

    /// Whether the worker that answers was asked for a residual stream by a request.
    pub(super) fn is_lens(&self, id: RequestId) -> bool {
        let asked = self.lenses.asked.as_ref();
        asked.is_some_and(|asked| asked.worker == self.worker && asked.id == id)
    }

    /// Keeps the answer, if it is of the result on screen and a figure still needs it.
    pub(super) fn looked(&mut self, answer: LensRead) {
        let Some(Asked { run, question, .. }) = self.lenses.asked.take() else {
            return;
        };
        if self.shown_run == Some(run) && self.lenses.on_screen.contains(&question) {
            self.lenses.known.push((question, answer));
        }
    }
}
