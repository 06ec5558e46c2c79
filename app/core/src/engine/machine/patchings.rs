//! Patched runs of two texts: what both write, maps whose cells come one after the other, and single patched runs.
//!
//! They are asked for one by one while nothing runs, as scores are. A question that no figure has any more is stopped in the
//! worker; so is one whose visitor says so, and of that what is known stays. One that a run ended is asked anew after it.

use std::sync::Arc;

use attention_protocol::{Failure, RequestId};
use attention_trace::{PatchedCell, PatchingAnswer, PatchingEnds};

use super::{
    super::data::{Command, PatchingAsked, Phase},
    Engine,
};

/// What is known of a question about patched runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PatchingRead {
    /// Cells of a map, in the order in which they were computed.
    pub cells: Arc<Vec<PatchedCell>>,
    /// How many there are in all; 0 as long as it is not known.
    pub total: usize,
    /// What they are measured by.
    pub ends: Option<PatchingEnds>,
    /// The answer, or why there is none; `None` as long as it is not answered.
    pub end: Option<Result<Arc<PatchingAnswer>, Failure>>,
}

/// What is asked for and what is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Patchings {
    /// What figures need now, once for each figure.
    on_screen: Vec<PatchingAsked>,
    /// Of questions that a figure has.
    known: Vec<(PatchingAsked, PatchingRead)>,
    asked: Option<Asked>,
}

#[derive(Clone, Debug)]
struct Asked {
    worker: u32,
    id: RequestId,
    question: PatchingAsked,
    /// Whether the visitor stopped it.
    is_stopped: bool,
}

impl Patchings {
    /// A figure has a question. What failed or was stopped before is asked once more; its cells stay until new ones come.
    pub(super) fn want(&mut self, question: PatchingAsked) {
        if let Some(read) = self.find_mut(&question)
            && read.end.as_ref().is_some_and(Result::is_err)
        {
            read.end = None;
        }
        self.on_screen.push(question);
    }

    fn find(&self, question: &PatchingAsked) -> Option<&PatchingRead> {
        let known = self.known.iter().find(|(known, _)| known == question);
        known.map(|(_, read)| read)
    }

    fn find_mut(&mut self, question: &PatchingAsked) -> Option<&mut PatchingRead> {
        let mut known = self.known.iter_mut();
        known
            .find(|(known, _)| known == question)
            .map(|(_, read)| read)
    }

    /// What is known of a question that a figure has.
    fn entry(&mut self, question: &PatchingAsked) -> Option<&mut PatchingRead> {
        if !self.on_screen.contains(question) {
            return None;
        }
        if self.find(question).is_none() {
            self.known.push((question.clone(), PatchingRead::default()));
        }
        self.find_mut(question)
    }

    fn is_open(&self, question: &PatchingAsked) -> bool {
        self.find(question).is_none_or(|read| read.end.is_none())
    }
}

impl Engine {
    /// What is known of a question about patched runs.
    pub fn patching(&self, question: &PatchingAsked) -> PatchingRead {
        self.patchings.find(question).cloned().unwrap_or_default()
    }

    /// A figure does not have a question any more; if no other has it, it is stopped.
    pub(super) fn unpatch(&mut self, question: &PatchingAsked) -> Vec<Command> {
        let patchings = &mut self.patchings;
        let mut on_screen = patchings.on_screen.iter();
        if let Some(index) = on_screen.position(|wanted| wanted == question) {
            patchings.on_screen.swap_remove(index);
        }
        let Patchings {
            on_screen, known, ..
        } = patchings;
        known.retain(|(known, _)| on_screen.contains(known));
        let asked = patchings.asked.as_ref();
        match asked.is_some_and(|asked| !on_screen.contains(&asked.question)) {
            true => self.cancel_patching(),
            false => Vec::new(),
        }
    }

    /// The visitor stops what is computed; what is known stays.
    pub(super) fn stop_patching(&mut self) -> Vec<Command> {
        match &mut self.patchings.asked {
            Some(asked) => {
                asked.is_stopped = true;
                self.cancel_patching()
            }
            None => Vec::new(),
        }
    }

    fn cancel_patching(&mut self) -> Vec<Command> {
        // A run or another model that has been asked for since ends it anyway, and would itself be stopped.
        let is_idle = self.running.is_none() && matches!(self.phase, Phase::Ready { .. });
        let (worker, id) = (self.worker, self.next_id());
        match self.awaits_patching() && is_idle {
            true => vec![Command::Cancel { worker, id }],
            false => Vec::new(),
        }
    }

    /// Asks for what a figure needs next, unless the worker has something else to do.
    pub(super) fn patch(&mut self) -> Vec<Command> {
        let is_busy = self.running.is_some() || self.waiting;
        if is_busy || self.awaits_answer() {
            return Vec::new();
        }
        let Phase::Ready { model, .. } = &self.phase else {
            return Vec::new();
        };
        let mut wanted = self.patchings.on_screen.iter();
        let is_next =
            |asked: &&PatchingAsked| asked.model == *model && self.patchings.is_open(asked);
        let Some(question) = wanted.find(is_next).cloned() else {
            return Vec::new();
        };
        let (worker, id) = (self.worker, self.next_id());
        self.patchings.asked = Some(Asked {
            worker,
            id,
            question: question.clone(),
            is_stopped: false,
        });
        vec![Command::Patch {
            worker,
            id,
            question: question.question,
        }]
    }

    /// Whether the worker that answers is busy with patched runs.
    pub(super) fn awaits_patching(&self) -> bool {
        let asked = self.patchings.asked.as_ref();
        asked.is_some_and(|asked| asked.worker == self.worker)
    }

    /// Whether the worker that answers was asked for patched runs by a request.
    pub(super) fn is_patching(&self, id: RequestId) -> bool {
        let asked = self.patchings.asked.as_ref();
        asked.is_some_and(|asked| asked.worker == self.worker && asked.id == id)
    }

    /// Keeps cells of a map, if a figure still needs them.
    pub(super) fn patched(&mut self, cells: Vec<PatchedCell>, total: usize, ends: PatchingEnds) {
        let Some(Asked { question, .. }) = self.patchings.asked.clone() else {
            return;
        };
        if let Some(read) = self.patchings.entry(&question) {
            let known = Arc::make_mut(&mut read.cells);
            for cell in cells {
                let place = |known: &PatchedCell| (known.row, known.column);
                match known.iter_mut().find(|known| place(known) == place(&cell)) {
                    Some(known) => *known = cell,
                    None => known.push(cell),
                }
            }
            read.total = total;
            read.ends = Some(ends);
        }
    }

    /// Keeps the answer, if a figure still needs it. What a run ended, and not the visitor, is asked anew.
    pub(super) fn was_patched(&mut self, answer: Result<PatchingAnswer, Failure>) {
        let Some(Asked {
            question,
            is_stopped,
            ..
        }) = self.patchings.asked.take()
        else {
            return;
        };
        if answer == Err(Failure::Cancelled) && !is_stopped {
            return;
        }
        if let Some(read) = self.patchings.entry(&question) {
            if let Ok(PatchingAnswer::Map(map)) = &answer {
                read.cells = Arc::new(map.cells.clone());
                read.total = map.cells.len();
                read.ends = Some(map.ends);
            }
            read.end = Some(answer.map(Arc::new));
        }
    }
}
