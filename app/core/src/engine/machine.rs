//! The engine's states and transitions, as a pure function from event to commands.
//!
//! One worker answers. Beside it a second one may load, its [`Successor`], which takes over once
//! it has shown what it can do: see [`handover`]. A worker that dies or falls silent is replaced: see [`liveness`].
//! Where heads are switched off, the same runs once with nothing switched off, to compare with: see [`unedited`] and
//! [`scores`]. A model may run on a server: see [`reconnection`]. What figures ask beside runs is one queue: see [`questions`].

mod handover;
mod liveness;
mod questions;
mod reconnection;
mod scores;
mod unedited;

use std::sync::Arc;

use attention_protocol::{Device, Failure, Reply, RequestId};
use attention_trace::Trace;

use super::data::{
    Adapter, Backend, Command, Event, Job, Phase, Problem, Received, Running, Shown, Source, Timing,
};
use crate::state::DeviceChoice;

pub use scores::{Importance, Probe, Pruning};

use handover::Successor;
use liveness::Liveness;
use questions::Questions;
use reconnection::Connection;
use scores::Scores;
use unedited::Unedited;

/// The engine: what it does now and what it showed last.
#[derive(Clone, Debug)]
pub struct Engine {
    pub phase: Phase,
    /// The device that the visitor chose.
    pub choice: DeviceChoice,
    /// The device that it runs on, or is being started on.
    pub backend: Backend,
    /// The reason why WebGPU was tried and given up for the CPU.
    pub gave_up_webgpu: Option<Problem>,
    /// The job that is running.
    pub running: Option<Running>,
    /// The result on screen.
    pub shown: Option<Shown>,
    /// The last problem, until something succeeds.
    pub problem: Option<Problem>,
    /// True if nothing is downloaded before the visitor agrees.
    pub is_held_back: bool,
    worker: u32,
    last_worker: u32,
    last_id: RequestId,
    wanted: Job,
    waiting: bool,
    adapter: Option<Adapter>,
    successor: Option<Successor>,
    /// The run of the current worker whose result is on screen.
    shown_run: Option<RequestId>,
    questions: Questions,
    unedited: Unedited,
    scores: Scores,
    liveness: Liveness,
    connection: Connection,
    /// True if no successor is to be tried again until the visitor asks.
    succession_failed: bool,
}

impl Engine {
    /// An engine that is to run `job` on `choice`, and what to do first.
    pub fn start(choice: DeviceChoice, job: Job) -> (Self, Vec<Command>) {
        let mut engine = Self::held_back(choice, job);
        let mut commands = engine.restart();
        commands.extend(engine.watch());
        (engine, commands)
    }

    /// An engine that does so only once it is told to run or to try again.
    pub fn held_back(choice: DeviceChoice, job: Job) -> Self {
        Engine {
            phase: Phase::Stopped,
            choice,
            backend: Backend::Cpu,
            gave_up_webgpu: None,
            running: None,
            shown: None,
            problem: None,
            is_held_back: true,
            worker: 0,
            last_worker: 0,
            last_id: 0,
            wanted: job,
            waiting: true,
            adapter: None,
            successor: None,
            shown_run: None,
            questions: Questions::default(),
            unedited: Unedited::default(),
            scores: Scores::default(),
            liveness: Liveness::default(),
            connection: Connection::default(),
            succession_failed: false,
        }
    }

    /// Takes in what happened; returns what is to be done.
    pub fn apply(&mut self, event: Event) -> Vec<Command> {
        self.hear(&event);
        let mut commands = self.react(event);
        commands.extend(self.ask());
        commands.extend(self.watch());
        commands
    }

    fn react(&mut self, event: Event) -> Vec<Command> {
        match event {
            Event::Example(example) => {
                self.show_example(example);
                Vec::new()
            }
            Event::Adapter(adapter) => {
                self.adapter = Some(adapter);
                self.prepare_successor()
            }
            Event::Reply { worker, id, reply } if worker == self.worker => self.replied(id, reply),
            Event::Reply { worker, id, reply } => self.successor_replied(worker, id, reply),
            Event::Died { worker, reason } if worker == self.worker => {
                self.lost(Problem::Died(reason))
            }
            Event::Died { worker, reason } => self.successor_died(worker, reason),
            Event::Run(job) => {
                self.wanted = job;
                self.try_again()
            }
            Event::Ask(question) => self.want(question),
            Event::Leave(question) => self.leave(&question),
            Event::Gather => self.gather(),
            Event::Stop => self.stop_asked(),
            Event::Measure { probe, is_wanted } => {
                self.scores.measure(probe, is_wanted);
                Vec::new()
            }
            Event::Prune(by) => {
                self.scores.prune(by);
                Vec::new()
            }
            Event::StopMeasuring => {
                self.scores.stop();
                Vec::new()
            }
            Event::Tick => self.tick(),
            Event::Cancel => self.cancel(),
            Event::Retry => {
                self.succession_failed = false;
                self.try_again()
            }
            Event::Device(choice) => self.choose(choice),
        }
    }

    /// Returns true if the worker is starting or loading.
    pub fn is_starting(&self) -> bool {
        matches!(self.phase, Phase::Booting | Phase::Loading { .. })
    }

    /// Returns the job that was asked for last, if it failed.
    pub fn refused(&self) -> Option<&Job> {
        let is_idle = !self.waiting && self.running.is_none();
        let has_failed = matches!(self.problem, Some(Problem::Failure(_)));
        let is_ready = matches!(self.phase, Phase::Ready { .. });
        (is_idle && has_failed && is_ready).then_some(&self.wanted)
    }

    /// Returns true if `job` is what runs, waits or, if nothing does, is on screen. What is on screen after another job
    /// failed or was cancelled is run again: the message and the loaded model are those of the other.
    pub fn answers(&self, job: &Job) -> bool {
        let is_on_screen = |shown: &Shown| shown.job.as_ref() == Some(job);
        let is_coming = self.waiting || self.running.is_some();
        self.wanted == *job && (is_coming || self.shown.as_ref().is_some_and(is_on_screen))
    }

    /// The last job that was asked for.
    pub fn wanted(&self) -> &Job {
        &self.wanted
    }

    fn try_again(&mut self) -> Vec<Command> {
        self.waiting = true;
        self.problem = None;
        self.liveness.reset_losses();
        match self.phase {
            Phase::Stopped => self.restart(),
            _ if self.reconnects_in_s().is_some() => self.boot(Backend::Server),
            _ => self.go_on(),
        }
    }

    /// Starts from nothing on the device that was chosen. Where that is left to us the CPU comes
    /// first, which is there soonest, while the browser is asked for an adapter.
    fn restart(&mut self) -> Vec<Command> {
        self.running = None;
        self.problem = None;
        self.is_held_back = false;
        self.gave_up_webgpu = None;
        self.succession_failed = false;
        self.liveness.start_anew();
        self.connection = Connection::default();
        let mut commands = self.dismiss_successor();
        commands.extend(match self.choice {
            DeviceChoice::Auto | DeviceChoice::Cpu => self.boot(Backend::Cpu),
            DeviceChoice::WebGpu => self.boot(Backend::WebGpu { software: false }),
            DeviceChoice::WebGpuSoftware => self.boot(Backend::WebGpu { software: true }),
            DeviceChoice::Server => self.boot(self.backend_beside_server()),
        });
        if self.choice == DeviceChoice::Auto {
            self.adapter = None;
            commands.push(Command::Probe);
        }
        commands
    }

    fn boot(&mut self, backend: Backend) -> Vec<Command> {
        let ended = self.worker;
        self.shown_run = None;
        self.questions.give_up();
        self.connection.wait_s = None;
        self.phase = Phase::Booting;
        self.backend = backend;
        self.liveness.worker_starts();
        // A new number, so that messages that the ended worker has already sent are ignored.
        self.worker = self.next_worker();
        let worker = self.worker;
        vec![
            Command::Kill { worker: ended },
            Command::Spawn {
                worker,
                backend,
                threads: self.liveness.with_threads(),
            },
        ]
    }

    fn next_worker(&mut self) -> u32 {
        self.last_worker += 1;
        self.last_worker
    }

    fn stop(&mut self) -> Vec<Command> {
        let ended = self.worker;
        self.shown_run = None;
        self.questions.give_up();
        self.connection.wait_s = None;
        self.phase = Phase::Stopped;
        self.worker = self.next_worker();
        let mut commands = self.dismiss_successor();
        commands.push(Command::Kill { worker: ended });
        commands
    }

    fn show_example(&mut self, example: Result<Arc<Trace>, Problem>) {
        match example {
            // A live result that arrived before the example is kept.
            Ok(_) if self.shown.is_some() => {}
            Ok(trace) => {
                self.shown = Some(Shown {
                    trace,
                    source: Source::Example,
                    job: None,
                });
            }
            Err(problem) if self.shown.is_none() && self.problem.is_none() => {
                self.problem = Some(problem);
            }
            Err(_) => {}
        }
    }

    /// Loads the wanted model or runs the wanted job, whichever is due.
    fn go_on(&mut self) -> Vec<Command> {
        match &self.phase {
            Phase::Ready { model, .. } if *model == self.wanted.model => self.run(),
            Phase::Loading { model, .. } if *model == self.wanted.model => Vec::new(),
            Phase::Ready { .. } | Phase::Loading { .. } => self.load(),
            Phase::Booting | Phase::Stopped => Vec::new(),
        }
    }

    fn load(&mut self) -> Vec<Command> {
        self.running = None;
        if self.choice == DeviceChoice::Server && self.backend != self.backend_beside_server() {
            return self.boot(self.backend_beside_server());
        }
        let id = self.next_id();
        let model = self.wanted.model;
        self.phase = Phase::Loading {
            model,
            id,
            received_bytes: 0,
            total_bytes: None,
        };
        vec![Command::Load {
            worker: self.worker,
            id,
            model,
            software: self.backend.takes_software(),
        }]
    }

    fn run(&mut self) -> Vec<Command> {
        if !std::mem::take(&mut self.waiting) {
            return Vec::new();
        }
        let Phase::Ready { reply, .. } = &self.phase else {
            return Vec::new();
        };
        let wanted = self.wanted.fitting(&reply.spec);
        let unedited = self.missing_unedited(&wanted);
        let id = self.next_id();
        self.running = Some(Running {
            id,
            job: self.wanted.clone(),
            is_unedited: unedited.is_some(),
            text: String::new(),
            tokens: 0,
            considered: Vec::new(),
            cancelled_s: None,
        });
        let (worker, job) = (self.worker, unedited.unwrap_or(wanted));
        vec![Command::Run { worker, id, job }]
    }

    fn next_id(&mut self) -> RequestId {
        self.last_id += 1;
        self.last_id
    }

    fn cancel(&mut self) -> Vec<Command> {
        if let Some(running) = &mut self.running {
            running.cancelled_s.get_or_insert(0);
            // With a number of its own, because a worker ends a run when it receives a newer request.
            let (worker, id) = (self.worker, self.next_id());
            return vec![Command::Cancel { worker, id }];
        }
        if self.is_starting() {
            return self.stop();
        }
        Vec::new()
    }

    fn replied(&mut self, id: RequestId, reply: Received) -> Vec<Command> {
        let running = self.running.as_ref().is_some_and(|run| run.id == id);
        match reply {
            Received::Plain(Reply::Booted) => self.load(),
            Received::Plain(Reply::Closed(closed)) => self.disconnected(closed.into()),
            Received::Unasked(fault) => self.disconnected(fault),
            Received::Plain(Reply::Failed(failure)) => self.failed(id, failure),
            Received::Plain(reply) if self.is_loading(id) => self.progressed(reply),
            Received::Plain(Reply::Decoded {
                tokens,
                text,
                considered,
            }) if running => {
                if let Some(run) = &mut self.running {
                    run.considered.extend(considered);
                    run.tokens = tokens;
                    run.text = text;
                }
                Vec::new()
            }
            Received::Traced {
                trace,
                decode_ms,
                forward_ms,
            } if running => match self.runs_unedited() {
                true => self.finished_unedited(trace),
                false => {
                    self.finished(trace, decode_ms, forward_ms);
                    self.prepare_successor()
                }
            },
            Received::Recorded(trace) if running => match self.runs_unedited() {
                true => self.finished_unedited(Ok(trace)),
                false => {
                    self.finished_recorded(trace);
                    Vec::new()
                }
            },
            Received::Plain(Reply::Partial { partial }) => {
                self.partly_answered(id, partial);
                Vec::new()
            }
            Received::Answer(answer) => self.question_answered(id, Ok(answer)),
            Received::Plain(_) | Received::Recorded(_) | Received::Traced { .. } => Vec::new(),
        }
    }

    fn is_loading(&self, request: RequestId) -> bool {
        matches!(self.phase, Phase::Loading { id, .. } if id == request)
    }

    fn progressed(&mut self, reply: Reply) -> Vec<Command> {
        match (reply, &mut self.phase) {
            (
                Reply::Progress {
                    received_bytes: received,
                    total_bytes: total,
                },
                Phase::Loading {
                    received_bytes,
                    total_bytes,
                    ..
                },
            ) => {
                *received_bytes = received;
                *total_bytes = total;
                Vec::new()
            }
            (Reply::Ready(reply), Phase::Loading { model, .. }) => {
                let model = *model;
                self.phase = Phase::Ready { model, reply };
                self.problem = None;
                self.connection.attempts = 0;
                self.go_on()
            }
            _ => Vec::new(),
        }
    }

    fn finished(&mut self, trace: Result<Arc<Trace>, Problem>, decode_ms: f64, forward_ms: f64) {
        let Some(running) = self.running.take() else {
            return;
        };
        let device = match &self.phase {
            Phase::Ready { reply, .. } => reply.device,
            _ => Device::Cpu,
        };
        match trace {
            Ok(trace) => {
                let timing = Timing {
                    device,
                    decode_ms,
                    forward_ms,
                };
                self.show(running.id, trace, Source::Live(timing), running.job);
            }
            Err(problem) => self.problem = Some(problem),
        }
    }

    fn finished_recorded(&mut self, trace: Arc<Trace>) {
        if let Some(running) = self.running.take() {
            self.show(running.id, trace, Source::Recorded, running.job);
        }
    }

    fn show(&mut self, run: RequestId, trace: Arc<Trace>, source: Source, job: Job) {
        self.problem = None;
        self.shown_run = Some(run);
        self.questions.forget_result();
        let shown = Shown {
            trace,
            source,
            job: Some(job),
        };
        self.unedited.follow(&shown);
        self.shown = Some(shown);
    }

    fn failed(&mut self, id: RequestId, failure: Failure) -> Vec<Command> {
        let fatal = matches!(
            failure,
            Failure::DeviceLost { .. } | Failure::NoWebGpu | Failure::WrongNumbers { .. }
        );
        if let Failure::OtherModel { name, runs_here } = &failure
            && self.is_loading(id)
        {
            return self.lacks_model(name.clone(), *runs_here);
        }
        if self.is_loading(id) || fatal {
            return self.broke_down(Problem::Failure(failure));
        }
        if self.running.as_ref().is_some_and(|run| run.id == id) {
            self.running = None;
            if failure != Failure::Cancelled {
                self.problem = Some(Problem::Failure(failure));
            }
            return self.prepare_successor();
        }
        if self.questions.are_asked(self.worker, id) {
            return self.question_answered(id, Err(failure));
        }
        if id == 0 {
            // It could not read a request of ours, so it would not answer the next one either.
            self.running = None;
            self.problem = Some(Problem::Failure(failure));
        }
        Vec::new()
    }

    /// The worker cannot be used any more. Where the device is chosen automatically and WebGPU failed, the CPU takes
    /// over.
    fn broke_down(&mut self, problem: Problem) -> Vec<Command> {
        self.requeue_run();
        if self.may_leave_webgpu() && !problem.is_about_files() {
            self.gave_up_webgpu = Some(problem);
            self.succession_failed = true;
            return self.boot(Backend::Cpu);
        }
        self.problem = Some(problem);
        self.stop()
    }
}

#[cfg(test)]
mod tests;
