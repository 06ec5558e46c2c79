//! All runs of this visit: the state and its transitions, without a browser.

use std::sync::Arc;

use attention_protocol::training::{
    Checkpoint, Snapshot, TrainingDevice, TrainingFailure, TrainingReply, TrainingRequest,
};
use attention_trace::training::{Example, TrainingSettings};

use super::run::{Phase, Run, RunNumber, RunProblem};

/// The largest number of runs that are kept; beyond it the oldest run that is not training is removed.
pub const MOST_RUNS: usize = 8;
/// The most memory in bytes for the checkpoints of all runs, as long as each run has more than two.
const MOST_BYTES: usize = 128 << 20;
/// The approximate number of checkpoints of a run.
const SNAPSHOTS: usize = 50;

/// The seconds without a message after which a worker counts as lost. A worker that trains reports about every second;
/// the largest model takes some seconds per step on a slow telephone.
const PATIENCE_S: u32 = 60;

/// An event that changes the runs.
#[derive(Clone, Debug, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is one at a time, and it is moved once"
)]
pub enum Event {
    /// The visitor starts runs to be trained at the same time; runs that are training pause.
    Start {
        /// The settings of each run.
        settings: Vec<TrainingSettings>,
        /// The device that trains them.
        device: TrainingDevice,
        /// The input that is watched; if it has no answer in the task, a held-out example is watched instead.
        watched: String,
    },
    /// The visitor pauses a run.
    Pause(RunNumber),
    /// The visitor continues a run; one that has made all its steps makes as many again.
    GoOn(RunNumber),
    /// The visitor removes a run.
    Remove(RunNumber),
    /// The visitor chooses another input for all runs to watch.
    Watch(String),
    /// A run's worker sent a reply; a snapshot comes with the contents of its buffer, if they are complete.
    Reply(RunNumber, TrainingReply, Option<Snapshot>),
    /// A run's worker does not start, or crashed.
    Died(RunNumber, String),
    /// A second has passed in which steps were to be made.
    Tick,
}

/// An action to take in the browser.
#[derive(Clone, Debug, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is one at a time, and it is moved once"
)]
pub enum Command {
    /// Start a run's worker for this device.
    Spawn(RunNumber, TrainingDevice),
    /// End a run's worker.
    Kill(RunNumber),
    /// Send a run's worker a request, with an optional buffer.
    Send(RunNumber, TrainingRequest, Option<Vec<u8>>),
}

/// All runs, in the order in which they were started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Runs {
    list: Vec<Run>,
    last_number: RunNumber,
    watched: String,
    /// The runs that have a worker.
    workers: Vec<RunNumber>,
}

impl Runs {
    /// Returns all runs, in the order in which they were started.
    pub fn list(&self) -> &[Run] {
        &self.list
    }

    pub fn get(&self, number: RunNumber) -> Option<&Run> {
        self.list.iter().find(|run| run.number == number)
    }

    /// Returns the number of the run that is started next.
    pub fn next_number(&self) -> RunNumber {
        self.last_number + 1
    }

    /// Updates the runs for an event, and returns the actions to take.
    pub fn apply(&mut self, event: Event) -> Vec<Command> {
        match event {
            Event::Start {
                settings,
                device,
                watched,
            } => self.start(settings, device, watched),
            Event::Pause(number) => self.pause(number),
            Event::GoOn(number) => self.go_on(number),
            Event::Remove(number) => {
                self.list.retain(|run| run.number != number);
                self.dismiss(|other| other == number)
            }
            Event::Watch(input) => {
                self.watched = input;
                let input = &self.watched;
                let watch = |&number: &RunNumber| {
                    let input = input.clone();
                    Command::Send(number, TrainingRequest::Watch { input }, None)
                };
                self.workers.iter().map(watch).collect()
            }
            Event::Reply(number, reply, snapshot) => self.hear(number, reply, snapshot),
            Event::Died(number, reason) => self.fail(number, RunProblem::Died(reason)),
            Event::Tick => self.tick(),
        }
    }

    /// True if steps are due from a run, so that silence is a problem.
    pub fn are_watched(&self) -> bool {
        self.list.iter().any(Run::is_watched)
    }

    /// Fails the runs whose workers have been silent for too long.
    fn tick(&mut self) -> Vec<Command> {
        let watched = self.list.iter_mut().filter(|run| run.is_watched());
        let silent: Vec<_> = watched
            .filter_map(|run| {
                run.silent_s += 1;
                (run.silent_s > PATIENCE_S).then_some(run.number)
            })
            .collect();
        let failed = |number| self.fail(number, RunProblem::Silent);
        silent.into_iter().flat_map(failed).collect()
    }

    fn start(
        &mut self,
        settings: Vec<TrainingSettings>,
        device: TrainingDevice,
        watched: String,
    ) -> Vec<Command> {
        self.watched = watched;
        let busy: Vec<_> = self
            .list
            .iter()
            .map(|run| (run.number, run.is_busy()))
            .collect();
        let resting = |number| busy.contains(&(number, false));
        // What rests goes on from its checkpoint, if it is to; its worker's memory is needed now.
        let mut commands = self.dismiss(resting);
        for (number, _) in busy.into_iter().filter(|(_, is_busy)| *is_busy) {
            commands.extend(self.pause(number));
        }
        for settings in settings {
            self.last_number += 1;
            let run = Run::new(self.last_number, settings, device);
            self.list.push(run);
            self.workers.push(self.last_number);
            commands.push(Command::Spawn(self.last_number, device));
        }
        while self.list.len() > MOST_RUNS
            && let Some(oldest) = self.list.iter().position(|run| !run.is_busy())
        {
            let number = self.list.remove(oldest).number;
            commands.extend(self.dismiss(|other| other == number));
        }
        commands
    }

    fn pause(&mut self, number: RunNumber) -> Vec<Command> {
        let Some(run) = self.get_mut(number) else {
            return Vec::new();
        };
        match run.phase {
            Phase::Training => {
                run.phase = Phase::Pausing;
                vec![Command::Send(number, TrainingRequest::Pause, None)]
            }
            // There is nothing to go on from yet: it begins again.
            Phase::Starting => {
                run.phase = Phase::Paused;
                self.dismiss(|other| other == number)
            }
            _ => Vec::new(),
        }
    }

    fn go_on(&mut self, number: RunNumber) -> Vec<Command> {
        let has_worker = self.workers.contains(&number);
        let Some(run) = self.get_mut(number).filter(|run| !run.is_busy()) else {
            return Vec::new();
        };
        run.silent_s = 0;
        if has_worker && run.phase == Phase::Paused {
            run.phase = Phase::Training;
            return vec![Command::Send(number, TrainingRequest::Resume, None)];
        }
        if run.phase == Phase::Finished {
            let more = run.settings.optimizer.steps;
            run.settings.optimizer.steps = run.step().saturating_add(more);
        }
        run.phase = Phase::Starting;
        run.rewind();
        let device = run.device();
        if has_worker {
            return self.begin(number).into_iter().collect();
        }
        self.workers.push(number);
        vec![Command::Spawn(number, device)]
    }

    /// Starts or continues training in a run's worker from the newest checkpoint, or from the beginning.
    fn begin(&self, number: RunNumber) -> Option<Command> {
        let run = self.get(number)?;
        let (from, buffer) = match run.snapshots.last() {
            Some(shot) => {
                let (checkpoint, buffer): (Checkpoint, _) = shot.0.checkpoint();
                (Some(checkpoint), Some(buffer))
            }
            None => (None, None),
        };
        // The field says why an input cannot be watched.
        let watch: Option<Example> = run.settings.task.example(&self.watched).ok();
        let request = TrainingRequest::Start {
            settings: Box::new(run.settings.clone()),
            device: run.device(),
            from,
            snapshot_every: run.settings.optimizer.steps.div_ceil(SNAPSHOTS).max(1),
            watch,
        };
        Some(Command::Send(number, request, buffer))
    }

    fn hear(
        &mut self,
        number: RunNumber,
        reply: TrainingReply,
        snapshot: Option<Snapshot>,
    ) -> Vec<Command> {
        // A worker that was ended may still have said something.
        if !self.workers.contains(&number) {
            return Vec::new();
        }
        if matches!(reply, TrainingReply::Booted) {
            return self.begin(number).into_iter().collect();
        }
        let Some(run) = self.get_mut(number) else {
            return Vec::new();
        };
        run.silent_s = 0;
        match reply {
            TrainingReply::Booted => {}
            TrainingReply::Started {
                spec,
                parameters,
                adapter,
            } => {
                run.phase = Phase::Training;
                run.adapter = adapter;
                run.spec = Some(Arc::new(*spec));
                run.parameters = parameters;
            }
            TrainingReply::Progress {
                steps,
                seconds,
                steps_per_second,
                memory_bytes,
            } => {
                run.steps.extend(steps);
                run.seconds = seconds;
                run.steps_per_second = steps_per_second;
                run.memory_bytes = memory_bytes;
            }
            TrainingReply::Snapshot(_) => match snapshot {
                Some(snapshot) => {
                    run.example_fault = None;
                    run.take(snapshot);
                    self.make_room();
                }
                None => {
                    let reason = "a checkpoint is not as long as it says".to_owned();
                    let failure = TrainingFailure::Protocol { reason };
                    return self.fail(number, RunProblem::Failure(failure));
                }
            },
            // One that has finished meanwhile stays so.
            TrainingReply::Paused { .. } if run.phase == Phase::Pausing => {
                run.phase = Phase::Paused;
            }
            TrainingReply::Paused { .. } => {}
            TrainingReply::Finished { .. } => run.phase = Phase::Finished,
            TrainingReply::Failed(TrainingFailure::Example { fault }) => {
                run.example_fault = Some(fault);
            }
            TrainingReply::Failed(failure) => {
                return self.fail(number, RunProblem::Failure(failure));
            }
        }
        Vec::new()
    }

    fn fail(&mut self, number: RunNumber, problem: RunProblem) -> Vec<Command> {
        let Some(run) = self.get_mut(number) else {
            return self.dismiss(|other| other == number);
        };
        if run.device() != TrainingDevice::Cpu && problem.is_of_device() {
            return self.give_up_device(number, problem);
        }
        run.phase = Phase::Failed(problem);
        self.dismiss(|other| other == number)
    }

    /// Moves a run to the CPU, from its newest checkpoint, at once if steps are to be made.
    fn give_up_device(&mut self, number: RunNumber, problem: RunProblem) -> Vec<Command> {
        let mut commands = self.dismiss(|other| other == number);
        let Some(run) = self.get_mut(number) else {
            return commands;
        };
        (run.gave_up, run.adapter) = (Some(problem), None);
        match run.phase {
            Phase::Starting | Phase::Training => {
                run.phase = Phase::Starting;
                run.silent_s = 0;
                run.rewind();
                self.workers.push(number);
                commands.push(Command::Spawn(number, TrainingDevice::Cpu));
            }
            // What was made since the newest checkpoint is made again when it goes on.
            Phase::Pausing => run.phase = Phase::Paused,
            Phase::Paused | Phase::Finished | Phase::Failed(_) => {}
        }
        commands
    }

    /// Ends the workers of the runs for which `goes` is true.
    fn dismiss(&mut self, goes: impl Fn(RunNumber) -> bool) -> Vec<Command> {
        let (gone, stay) = self.workers.iter().partition(|number| goes(**number));
        self.workers = stay;
        let gone: Vec<RunNumber> = gone;
        gone.into_iter().map(Command::Kill).collect()
    }

    /// Drops checkpoints of the run whose checkpoints take the most memory, until all are within bounds.
    fn make_room(&mut self) {
        while self.list.iter().map(Run::bytes).sum::<usize>() > MOST_BYTES {
            let many = self.list.iter_mut().filter(|run| run.snapshots.len() > 2);
            match many.max_by_key(|run| run.bytes()) {
                Some(run) => run.thin(),
                None => return,
            }
        }
    }

    fn get_mut(&mut self, number: RunNumber) -> Option<&mut Run> {
        self.list.iter_mut().find(|run| run.number == number)
    }
}

#[cfg(test)]
mod tests;
