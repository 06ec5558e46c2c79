//! From one worker to the next: the CPU answers first, and WebGPU takes over once it can.
//!
//! A successor loads while the worker before it goes on answering. Loading checks its numbers
//! against the CPU's; then it runs what is on screen, which warms it up, and with that result on
//! screen it takes over. Nothing is lost if it fails: the worker before it is still there.

use std::sync::Arc;

use attention_protocol::{Failure, ReadyReply, Reply, RequestId};
use attention_trace::Trace;

use super::{
    super::data::{Adapter, Backend, Command, Job, Phase, Problem, Received, Source, Timing},
    Engine,
};
use crate::state::{DeviceChoice, Model};

/// A worker that is to take over.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Successor {
    worker: u32,
    backend: Backend,
    step: Step,
}

#[cfg(test)]
impl Successor {
    pub(super) fn worker(&self) -> u32 {
        self.worker
    }
}

/// The state of a successor.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    /// The worker is starting.
    Booting,
    /// The checkpoint is on its way.
    Loading { id: RequestId, model: Model },
    /// Loaded and checked; it waits until the other worker has answered.
    Waiting {
        model: Model,
        reply: Box<ReadyReply>,
    },
    /// It runs what is on screen.
    Rehearsing {
        id: RequestId,
        job: Box<Job>,
        model: Model,
        reply: Box<ReadyReply>,
    },
}

impl Engine {
    /// The device that is getting ready to take over.
    pub fn successor(&self) -> Option<Backend> {
        self.successor.as_ref().map(|successor| successor.backend)
    }

    /// Takes the visitor's choice of a device. A worker that answers already goes on until the
    /// chosen device can take over.
    pub(super) fn choose(&mut self, choice: DeviceChoice) -> Vec<Command> {
        self.choice = choice;
        let on_cpu = self.backend == Backend::Cpu;
        let answers = matches!(self.phase, Phase::Ready { .. }) && on_cpu;
        let starts = self.is_starting() && on_cpu;
        let keeps_worker = match choice {
            DeviceChoice::Auto | DeviceChoice::Cpu => answers || starts,
            DeviceChoice::WebGpu | DeviceChoice::WebGpuSoftware => answers,
            DeviceChoice::Server => false,
        };
        if !keeps_worker {
            self.waiting = true;
            return self.restart();
        }
        self.problem = None;
        self.gave_up_webgpu = None;
        self.succession_failed = false;
        self.liveness.reset_losses();
        let mut commands = self.dismiss_successor();
        if choice == DeviceChoice::Auto {
            self.adapter = None;
            commands.push(Command::Probe);
        }
        commands.extend(self.prepare_successor());
        commands
    }

    /// Starts a successor if there is to be one, or brings it as far as it can come now.
    pub(super) fn prepare_successor(&mut self) -> Vec<Command> {
        if self.successor.is_some() {
            return self.advance();
        }
        let Some(backend) = self.wanted_successor() else {
            return Vec::new();
        };
        let worker = self.next_worker();
        self.liveness.successor_starts();
        self.successor = Some(Successor {
            worker,
            backend,
            step: Step::Booting,
        });
        vec![Command::Spawn {
            worker,
            backend,
            threads: true,
        }]
    }

    pub(super) fn dismiss_successor(&mut self) -> Vec<Command> {
        let dismissed = self.successor.take();
        let kill = |successor: Successor| Command::Kill {
            worker: successor.worker,
        };
        dismissed.map(kill).into_iter().collect()
    }

    fn wanted_successor(&self) -> Option<Backend> {
        let answers = matches!(self.phase, Phase::Ready { .. }) && self.backend == Backend::Cpu;
        if !answers || self.succession_failed {
            return None;
        }
        let source = self.shown.as_ref().map(|shown| &shown.source);
        let is_live = matches!(source, Some(Source::Live(_)));
        match self.choice {
            // A recorded pass is not computed.
            _ if source == Some(&Source::Recorded) => None,
            DeviceChoice::Cpu | DeviceChoice::Server => None,
            // The first answer comes before everything else.
            DeviceChoice::Auto => (is_live && self.adapter == Some(Adapter::Hardware))
                .then_some(Backend::WebGpu { software: false }),
            DeviceChoice::WebGpu => Some(Backend::WebGpu { software: false }),
            DeviceChoice::WebGpuSoftware => Some(Backend::WebGpu { software: true }),
        }
    }

    pub(super) fn successor_replied(
        &mut self,
        worker: u32,
        id: RequestId,
        reply: Received,
    ) -> Vec<Command> {
        let Some(successor) = self.successor.as_mut().filter(|s| s.worker == worker) else {
            return Vec::new();
        };
        match (reply, successor.step.clone()) {
            (Received::Plain(Reply::Booted), _) => self.load_successor(),
            (Received::Plain(Reply::Ready(reply)), Step::Loading { id: asked, model })
                if asked == id =>
            {
                successor.step = Step::Waiting { model, reply };
                self.advance()
            }
            (Received::Plain(Reply::Failed(failure)), _) if failure != Failure::Cancelled => {
                self.successor_failed(Problem::Failure(failure))
            }
            (
                Received::Traced {
                    trace,
                    decode_ms,
                    forward_ms,
                },
                Step::Rehearsing {
                    id: asked,
                    job,
                    model,
                    reply,
                },
            ) if asked == id => match trace {
                Ok(trace) => {
                    let timing = Timing {
                        device: reply.device,
                        decode_ms,
                        forward_ms,
                    };
                    successor.step = Step::Waiting { model, reply };
                    self.rehearsed(id, trace, timing, *job)
                }
                Err(problem) => self.successor_failed(problem),
            },
            _ => Vec::new(),
        }
    }

    pub(super) fn successor_died(&mut self, worker: u32, reason: String) -> Vec<Command> {
        match &self.successor {
            Some(successor) if successor.worker == worker => {
                self.successor_failed(Problem::Died(reason))
            }
            _ => Vec::new(),
        }
    }

    /// The successor, if something is expected of it.
    pub(super) fn awaited_successor(&self) -> Option<u32> {
        let successor = self.successor.as_ref()?;
        let is_awaited = !matches!(successor.step, Step::Waiting { .. });
        is_awaited.then_some(successor.worker)
    }

    /// The worker that answers stays. Where the visitor left the device to us, a note says why;
    /// a device that was asked for is a problem if it cannot be had.
    pub(super) fn successor_failed(&mut self, problem: Problem) -> Vec<Command> {
        self.succession_failed = true;
        if self.choice == DeviceChoice::Auto {
            self.gave_up_webgpu = Some(problem);
        } else {
            self.problem = Some(problem);
        }
        self.dismiss_successor()
    }

    fn load_successor(&mut self) -> Vec<Command> {
        let (id, model) = (self.next_id(), self.wanted.model);
        let Some(successor) = self.successor.as_mut() else {
            return Vec::new();
        };
        successor.step = Step::Loading { id, model };
        vec![Command::Load {
            worker: successor.worker,
            id,
            model,
            software: successor.backend.takes_software(),
        }]
    }

    /// The next step of a successor that waits, unless the other worker has something to do first.
    fn advance(&mut self) -> Vec<Command> {
        let Some(Successor {
            worker,
            step: Step::Waiting { model, reply },
            ..
        }) = self.successor.clone()
        else {
            return Vec::new();
        };
        let is_ready =
            matches!(&self.phase, Phase::Ready { model, .. } if *model == self.wanted.model);
        if !is_ready || self.running.is_some() || self.waiting {
            return Vec::new();
        }
        if model != self.wanted.model {
            return self.load_successor();
        }
        let Some(job) = self.shown.as_ref().and_then(|shown| shown.job.clone()) else {
            return self.take_over();
        };
        let (id, asked) = (self.next_id(), job.fitting(&reply.spec));
        if let Some(successor) = self.successor.as_mut() {
            successor.step = Step::Rehearsing {
                id,
                job: Box::new(job),
                model,
                reply,
            };
        }
        vec![Command::Run {
            worker,
            id,
            job: asked,
        }]
    }

    /// Puts the result on screen and hands over, if it is still what is on screen; else there is
    /// another one to run first.
    fn rehearsed(
        &mut self,
        run: RequestId,
        trace: Arc<Trace>,
        timing: Timing,
        job: Job,
    ) -> Vec<Command> {
        let idle = self.running.is_none() && !self.waiting;
        let on_screen = self
            .shown
            .as_ref()
            .is_some_and(|shown| shown.job.as_ref() == Some(&job));
        if !(idle && on_screen) {
            return self.advance();
        }
        let problem = self.problem.take();
        self.show(run, trace, Source::Live(timing), job);
        // What the visitor was told of a later input is still true.
        self.problem = problem;
        self.take_over()
    }

    fn take_over(&mut self) -> Vec<Command> {
        let Some(Successor {
            worker,
            backend,
            step: Step::Waiting { model, reply },
        }) = self.successor.take()
        else {
            return Vec::new();
        };
        let ended = self.worker;
        self.worker = worker;
        self.questions.give_up();
        self.backend = backend;
        self.phase = Phase::Ready { model, reply };
        vec![Command::Kill { worker: ended }]
    }
}
