//! Detects workers that crash or stop responding, and replaces them.
//!
//! While an answer is expected of a worker, it is pinged each second, and any message from it counts as a sign of life. One
//! that is starting cannot answer yet, and reports the progress of its start by itself
//! (`app/worker/js/starting.js`). Seconds are ticks of the page's own timer, not of a clock, so that time in which
//! the machine was asleep does not count.

use super::{
    super::data::{Backend, Command, Event, Phase, Problem, ServerFault},
    Engine,
};
use crate::state::DeviceChoice;

/// Seconds without a message after which a worker counts as lost. One that computes, or whose engine is being
/// downloaded, reports every second; everything else that keeps it from answering, such as reading weights, takes a
/// fraction of this on a slow telephone.
pub(super) const PATIENCE_S: u32 = 20;

/// The seconds that a cancelled run may go on. A pass cannot be interrupted, and nobody waits for this one.
pub(super) const CANCEL_PATIENCE_S: u32 = 3;

/// The watched workers and the time for which each has been silent.
#[derive(Clone, Debug, Default)]
pub(super) struct Liveness {
    /// True if a tick has been asked for and has not come yet.
    is_ticking: bool,
    /// Seconds since the current worker's last message, if an answer is expected of it.
    silent_s: u32,
    /// Seconds since the successor's last message, if an answer is expected of it.
    successor_silent_s: u32,
    /// Workers lost since the visitor last asked for something.
    losses: u32,
    /// True if the CPU's engine runs without threads, after it was lost twice with them.
    without_threads: bool,
}

impl Liveness {
    /// Forgets earlier losses: the visitor asked for something.
    pub(super) fn reset_losses(&mut self) {
        self.losses = 0;
    }

    /// Allows threads again too: the visitor restarted the engine.
    pub(super) fn start_anew(&mut self) {
        self.reset_losses();
        self.without_threads = false;
    }

    /// Expects nothing yet of the next worker.
    pub(super) fn worker_starts(&mut self) {
        self.silent_s = 0;
    }

    /// Expects nothing yet of the next successor.
    pub(super) fn successor_starts(&mut self) {
        self.successor_silent_s = 0;
    }

    /// Returns true if the CPU's engine may have threads.
    pub(super) fn with_threads(&self) -> bool {
        !self.without_threads
    }
}

impl Engine {
    /// Notes which worker sent a message.
    pub(super) fn hear(&mut self, event: &Event) {
        let &Event::Reply { worker, .. } = event else {
            return;
        };
        if worker == self.worker {
            self.liveness.silent_s = 0;
        } else {
            self.liveness.successor_silent_s = 0;
        }
    }

    /// Asks for the next tick, if an answer is expected of a worker.
    pub(super) fn watch(&mut self) -> Vec<Command> {
        let is_awaited = self.is_awaited() || self.awaited_successor().is_some();
        if self.liveness.is_ticking || !is_awaited {
            return Vec::new();
        }
        self.liveness.is_ticking = true;
        vec![Command::Tick]
    }

    /// Handles the tick of one second.
    pub(super) fn tick(&mut self) -> Vec<Command> {
        self.liveness.is_ticking = false;
        let mut commands = self.tick_worker();
        commands.extend(self.tick_successor());
        commands
    }

    fn tick_worker(&mut self) -> Vec<Command> {
        if let Some(commands) = self.tick_connection() {
            return commands;
        }
        if !self.is_awaited() {
            self.liveness.silent_s = 0;
            return Vec::new();
        }
        self.liveness.silent_s += 1;
        let cancelled_s = self
            .running
            .as_mut()
            .and_then(|running| running.cancelled_s.as_mut());
        if let Some(cancelled_s) = cancelled_s {
            *cancelled_s += 1;
            if *cancelled_s > CANCEL_PATIENCE_S {
                self.running = None;
                return match self.backend {
                    // It drops the run by itself, as soon as a pass of it has ended.
                    Backend::Server => Vec::new(),
                    backend => self.boot(backend),
                };
            }
        }
        if self.liveness.silent_s > PATIENCE_S {
            return self.lost(Problem::Silent);
        }
        vec![Command::Ping {
            worker: self.worker,
        }]
    }

    fn tick_successor(&mut self) -> Vec<Command> {
        let Some(worker) = self.awaited_successor() else {
            self.liveness.successor_silent_s = 0;
            return Vec::new();
        };
        self.liveness.successor_silent_s += 1;
        if self.liveness.successor_silent_s > PATIENCE_S {
            return self.successor_failed(Problem::Silent);
        }
        vec![Command::Ping { worker }]
    }

    /// Returns true if the current worker is starting or has been asked for something.
    fn is_awaited(&self) -> bool {
        let is_asked = self.running.is_some() || self.questions.are_awaited(self.worker);
        self.is_starting() || matches!(self.phase, Phase::Ready { .. }) && is_asked
    }

    /// The worker died or is silent. Another one takes its place, loads the model, which the browser keeps, and runs
    /// again what it ran; the second one on the CPU does without threads. A failure that keeps happening becomes a
    /// problem to be shown; one before the worker has started does at once, since the next one would fail in the same
    /// way.
    pub(super) fn lost(&mut self, problem: Problem) -> Vec<Command> {
        if self.backend == Backend::Server && problem == Problem::Silent {
            return self.disconnected(ServerFault::Gone);
        }
        self.liveness.losses += 1;
        let is_started = matches!(self.phase, Phase::Loading { .. } | Phase::Ready { .. });
        let cannot_start = !is_started && problem != Problem::Silent;
        let most_losses = if self.backend == Backend::Cpu { 2 } else { 1 };
        if cannot_start || self.liveness.losses > most_losses || self.may_leave_webgpu() {
            return self.broke_down(problem);
        }
        self.liveness.without_threads |= self.liveness.losses == 2;
        self.requeue_run();
        self.boot(self.backend)
    }

    /// Returns true if WebGPU was chosen automatically, so that the CPU can replace it.
    pub(super) fn may_leave_webgpu(&self) -> bool {
        self.choice == DeviceChoice::Auto && self.backend != Backend::Cpu
    }

    /// Queues the worker's run for the next worker: the one in progress, or else the one on screen, whose parts only
    /// the worker that ran it can send.
    pub(super) fn requeue_run(&mut self) {
        let shown = self.shown.as_ref().and_then(|shown| shown.job.as_ref());
        let is_shown = self.shown_run.is_some() && shown == Some(&self.wanted);
        self.waiting |= match self.running.take() {
            Some(running) => running.cancelled_s.is_none(),
            None => is_shown,
        };
    }
}
