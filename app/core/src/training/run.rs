//! A run of training and its state on the page.

use std::sync::Arc;

use attention_protocol::training::{Snapshot, TrainingDevice, TrainingFailure};
use attention_trace::{
    ModelSpec,
    training::{ExampleFault, StepReport, TrainingSettings},
};

/// The number of a run, from 1, in the order in which they were started.
pub type RunNumber = usize;

#[derive(Clone, Debug, PartialEq)]
pub enum Phase {
    /// The worker is starting, or creating the model.
    Starting,
    /// The model is being trained.
    Training,
    /// The run is about to pause.
    Pausing,
    /// The run has paused and can continue.
    Paused,
    /// All steps are made.
    Finished,
    /// The run ended before its last step.
    Failed(RunProblem),
}

/// The reason why a run failed.
#[derive(Clone, Debug, PartialEq)]
pub enum RunProblem {
    /// The worker does not start, or crashed.
    Died(String),
    /// The worker reported this failure.
    Failure(TrainingFailure),
    /// The worker sent no message for too long.
    Silent,
}

impl RunProblem {
    /// True if another device would help. This includes a worker that dies or falls silent on WebGPU: the causes there,
    /// such as a driver that hangs or a script that does not load, do not exist on the CPU.
    pub(super) fn is_of_device(&self) -> bool {
        match self {
            RunProblem::Died(_) | RunProblem::Silent => true,
            RunProblem::Failure(failure) => matches!(
                failure,
                TrainingFailure::NoWebGpu
                    | TrainingFailure::WrongNumbers { .. }
                    | TrainingFailure::DeviceLost { .. }
                    | TrainingFailure::Engine { .. }
            ),
        }
    }
}

/// A run with its settings, its phase and everything it has reported.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub number: RunNumber,
    /// The settings that determine the run.
    pub settings: TrainingSettings,
    /// The device that was requested.
    pub wanted: TrainingDevice,
    /// The problem that moved the run to the CPU, if another device was wanted.
    pub gave_up: Option<RunProblem>,
    /// The name of the adapter that trains it; `None` on the CPU.
    pub adapter: Option<String>,
    pub phase: Phase,
    /// The model's specification, once the model is made.
    pub spec: Option<Arc<ModelSpec>>,
    /// The number of the model's weights.
    pub parameters: usize,
    /// The reports of all steps so far.
    pub steps: Vec<StepReport>,
    /// The checkpoints in the order of their steps.
    pub snapshots: Vec<Shot>,
    /// The seconds spent on steps.
    pub seconds: f64,
    /// The number of steps per second, over about the last second.
    pub steps_per_second: f64,
    /// The memory of the worker's module in bytes.
    pub memory_bytes: u64,
    /// The fault of the example that was to be watched.
    pub example_fault: Option<ExampleFault>,
    /// The seconds since the worker's last message, counted while steps are to be made.
    pub(super) silent_s: u32,
}

/// A checkpoint that is equal only to itself, so that signals never compare megabytes.
#[derive(Clone, Debug)]
pub struct Shot(pub Arc<Snapshot>);

impl PartialEq for Shot {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Run {
    /// Creates a run that has not started yet.
    pub fn new(number: RunNumber, settings: TrainingSettings, wanted: TrainingDevice) -> Self {
        Run {
            number,
            settings,
            wanted,
            gave_up: None,
            adapter: None,
            phase: Phase::Starting,
            spec: None,
            parameters: 0,
            steps: Vec::new(),
            snapshots: Vec::new(),
            seconds: 0.0,
            steps_per_second: 0.0,
            memory_bytes: 0,
            example_fault: None,
            silent_s: 0,
        }
    }

    pub fn device(&self) -> TrainingDevice {
        match self.gave_up {
            Some(_) => TrainingDevice::Cpu,
            None => self.wanted,
        }
    }

    /// Returns the number of steps made.
    pub fn step(&self) -> usize {
        self.steps.last().map_or(0, |report| report.step)
    }

    /// True if steps are being made, or soon will be.
    pub fn is_busy(&self) -> bool {
        matches!(
            self.phase,
            Phase::Starting | Phase::Training | Phase::Pausing
        )
    }

    /// True if the run's worker should send messages all the time. This excludes a worker that is starting: its code
    /// may take long to arrive.
    pub(super) fn is_watched(&self) -> bool {
        matches!(self.phase, Phase::Training | Phase::Pausing)
    }

    /// Returns the last checkpoint at or before a step, or the first one if there is none; the newest for `None`.
    pub fn snapshot_at(&self, step: Option<usize>) -> Option<&Shot> {
        let Some(step) = step else {
            return self.snapshots.last();
        };
        let after = self.snapshots.partition_point(|shot| shot.0.step <= step);
        self.snapshots.get(after.saturating_sub(1))
    }

    /// Returns the first step, and the seconds until then, at which the token accuracy on held-out examples reaches
    /// `accuracy`.
    pub fn reached(&self, accuracy: f32) -> Option<(usize, f64)> {
        let good = |shot: &&Shot| shot.0.evaluation.token_accuracy >= accuracy;
        let shot = self.snapshots.iter().find(good)?;
        Some((shot.0.step, shot.0.seconds))
    }

    /// Adds a checkpoint, which replaces those of the same or a later step.
    pub(super) fn take(&mut self, snapshot: Snapshot) {
        self.snapshots.retain(|shot| shot.0.step < snapshot.step);
        self.snapshots.push(Shot(Arc::new(snapshot)));
    }

    /// Drops the steps after the newest checkpoint, from which the run continues.
    pub(super) fn rewind(&mut self) {
        let step = self.snapshots.last().map_or(0, |shot| shot.0.step);
        self.steps.retain(|report| report.step <= step);
    }

    /// Returns the size of its checkpoints in bytes.
    pub(super) fn bytes(&self) -> usize {
        let bytes = |shot: &Shot| {
            let attention = shot.0.observation.attention.iter();
            let maps = attention.map(|record| 2 * record.weights.bytes().len());
            shot.0.weights.len() + shot.0.optimizer.len() + maps.sum::<usize>()
        };
        self.snapshots.iter().map(bytes).sum()
    }

    /// Drops every other checkpoint, except the first and the newest.
    pub(super) fn thin(&mut self) {
        let last = self.snapshots.len().saturating_sub(1);
        let mut place = 0;
        self.snapshots.retain(|_| {
            let stays = place % 2 == 0 || place == last;
            place += 1;
            stays
        });
    }
}
