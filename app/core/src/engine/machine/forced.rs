//! What the model says of targets that it is given (teacher forcing).
//!
//! One pass each. They are asked for one by one while nothing runs, as scores are.

use attention_protocol::RequestId;

use super::{
    super::data::{Command, Forced, ForcedTarget, Phase},
    Engine,
};

/// What is asked for and what is known.
#[derive(Clone, Debug, Default)]
pub(super) struct ForcedTargets {
    /// What figures need now, once for each figure.
    on_screen: Vec<ForcedTarget>,
    /// Of targets that a figure needs.
    known: Vec<(ForcedTarget, Forced)>,
    asked: Option<Asked>,
}

#[derive(Clone, Debug)]
struct Asked {
    worker: u32,
    id: RequestId,
    target: ForcedTarget,
}

impl ForcedTargets {
    /// A figure needs a target. Whatever failed before is asked for again.
    pub(super) fn want(&mut self, target: ForcedTarget) {
        self.known
            .retain(|(known, answer)| *known != target || answer.is_ok());
        self.on_screen.push(target);
    }

    /// A figure does not need it any more.
    pub(super) fn leave(&mut self, target: &ForcedTarget) {
        if let Some(index) = self.on_screen.iter().position(|wanted| wanted == target) {
            self.on_screen.swap_remove(index);
        }
        let Self {
            on_screen, known, ..
        } = self;
        known.retain(|(known, _)| on_screen.contains(known));
    }

    fn find(&self, target: &ForcedTarget) -> Option<&Forced> {
        let known = self.known.iter().find(|(known, _)| known == target);
        known.map(|(_, answer)| answer)
    }
}

impl Engine {
    /// What the model says of a target, or why it says nothing; `None` as long as it has not answered.
    pub fn forced(&self, target: &ForcedTarget) -> Option<Forced> {
        self.forced.find(target).cloned()
    }

    /// Asks for what a figure needs next, unless the worker has something else to do.
    pub(super) fn force(&mut self) -> Vec<Command> {
        let is_busy = self.running.is_some() || self.waiting;
        if is_busy || self.awaits_answer() {
            return Vec::new();
        }
        let Phase::Ready { model, reply } = &self.phase else {
            return Vec::new();
        };
        let mut wanted = self.forced.on_screen.iter();
        let is_next = |target: &&ForcedTarget| {
            target.job.model == *model && self.forced.find(target).is_none()
        };
        let Some(target) = wanted.find(is_next).cloned() else {
            return Vec::new();
        };
        let fitting = ForcedTarget {
            job: target.job.fitting(&reply.spec),
            ..target.clone()
        };
        let (worker, id) = (self.worker, self.next_id());
        self.forced.asked = Some(Asked { worker, id, target });
        vec![Command::Force {
            worker,
            id,
            target: fitting,
        }]
    }

    /// Whether the worker that answers is busy with a score, a target, a residual stream or patched runs: such are asked for
    /// one by one.
    pub(super) fn awaits_answer(&self) -> bool {
        let is_read = self.awaits_forced() || self.awaits_lens();
        self.awaits_score() || is_read || self.awaits_patching()
    }

    /// Whether the worker that answers is busy with a target.
    fn awaits_forced(&self) -> bool {
        let asked = self.forced.asked.as_ref();
        asked.is_some_and(|asked| asked.worker == self.worker)
    }

    /// Whether the worker that answers was given a target by a request.
    pub(super) fn is_forced(&self, id: RequestId) -> bool {
        let asked = self.forced.asked.as_ref();
        asked.is_some_and(|asked| asked.worker == self.worker && asked.id == id)
    }

    /// Keeps the answer, if a figure still needs it.
    pub(super) fn was_forced(&mut self, answer: Forced) {
        let Some(Asked { target, .. }) = self.forced.asked.take() else {
            return;
        };
        if self.forced.on_screen.contains(&target) {
            self.forced.known.push((target, answer));
        }
    }
}
