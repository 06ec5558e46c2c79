//! The run without edits, with which one with changes is compared.
//!
//! It comes first, since of a worker's results only the last one's parts can be had. Mostly it is there already: what
//! is changed is changed while the result without edits is on screen.

use std::sync::Arc;

use attention_trace::Trace;

use super::{
    super::data::{Command, Job, Problem, Shown},
    Engine,
    scores::tokens,
};

/// Results with nothing changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Unedited {
    /// Of what is on screen.
    shown: Option<Kept>,
    /// Of what is to be run with changes.
    next: Option<Kept>,
}

#[derive(Clone, Debug)]
struct Kept {
    job: Job,
    trace: Arc<Trace>,
}

impl Unedited {
    fn of(&self, job: &Job) -> Option<&Kept> {
        let kept = [&self.shown, &self.next].into_iter().flatten();
        kept.into_iter().find(|kept| kept.job == *job)
    }

    /// Keeps what belongs to the result that comes on screen.
    pub(super) fn follow(&mut self, shown: &Shown) {
        let Some(job) = shown.job.as_ref().map(Job::unedited) else {
            return;
        };
        self.shown = match shown.edits().is_empty() {
            true => Some(Kept {
                job,
                trace: shown.trace.clone(),
            }),
            false => self.of(&job).cloned(),
        };
        self.next = None;
    }
}

impl Engine {
    /// Returns the result on screen with nothing changed; `None` if no result is on screen, if nothing is changed in
    /// it, or if the unchanged job has not run.
    pub fn without_edits(&self) -> Option<&Arc<Trace>> {
        let is_edited = !self.shown.as_ref()?.edits().is_empty();
        is_edited.then(|| self.unedited()).flatten()
    }

    /// The result with nothing changed that what is on screen is, or is compared with.
    pub(super) fn unedited(&self) -> Option<&Arc<Trace>> {
        let job = self.shown.as_ref()?.job.as_ref()?.unedited();
        self.unedited.of(&job).map(|kept| &kept.trace)
    }

    /// The tokens of a job's text with nothing changed; none where it has not run.
    pub(super) fn tokens_without_edits(&self, job: &Job) -> Vec<u32> {
        let kept = self.unedited.of(&job.unedited());
        kept.map(|kept| tokens(&kept.trace)).unwrap_or_default()
    }

    /// The job to compare `wanted` with, if it has to run first.
    pub(super) fn missing_unedited(&self, wanted: &Job) -> Option<Job> {
        let job = wanted.unedited();
        let is_needed = job != *wanted && self.unedited.of(&job).is_none();
        is_needed.then_some(job)
    }

    pub(super) fn runs_unedited(&self) -> bool {
        let running = self.running.as_ref();
        running.is_some_and(|running| running.is_unedited)
    }

    /// The run without edits is done; the one with them follows.
    pub(super) fn finished_unedited(&mut self, trace: Result<Arc<Trace>, Problem>) -> Vec<Command> {
        let Some(running) = self.running.take() else {
            return Vec::new();
        };
        match trace {
            Ok(trace) => {
                let job = running.job.unedited();
                self.unedited.next = Some(Kept { job, trace });
                self.waiting = running.cancelled_s.is_none();
            }
            Err(problem) => self.problem = Some(problem),
        }
        let mut commands = self.go_on();
        commands.extend(self.prepare_successor());
        commands
    }
}
