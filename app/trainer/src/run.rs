//! A run in turns: its steps, and the reports about them.

use std::collections::VecDeque;

use attention_model::error::ModelError;
use attention_model::training::watched::{State, Trained, Trainer, WatchError};
use attention_protocol::RequestId;
use attention_protocol::training::{Checkpoint, Snapshot, TrainingFailure, TrainingReply};
use attention_trace::training::{Example, StepReport, TrainingSettings};

use crate::browser::{memory_bytes, now_ms, post};
use crate::device::Placed;

/// The duration of a turn of steps before the page's messages are read.
const TURN_MS: f64 = 30.0;

/// The time between two reports of progress.
const BETWEEN_MS: f64 = 100.0;

/// The seconds of steps over which their rate is averaged.
const RATED_S: f64 = 1.0;

/// A run, with the data not yet reported.
pub struct Run {
    id: RequestId,
    trainer: Trainer,
    snapshot_every: usize,
    is_paused: bool,
    seconds: f64,
    /// The durations of the last steps in seconds, together about [`RATED_S`].
    recent: VecDeque<f64>,
    unsaid: Vec<StepReport>,
    said_ms: f64,
}

impl Run {
    /// Starts a run for the request `id`, from the beginning or from a checkpoint with its bytes.
    pub async fn start(
        id: RequestId,
        settings: TrainingSettings,
        placed: Placed,
        from: Option<(Checkpoint, Vec<u8>)>,
        snapshot_every: usize,
    ) -> Result<Self, TrainingFailure> {
        let seconds = from.as_ref().map_or(0.0, |(from, _)| from.seconds);
        let state = match &from {
            Some((from, buffer)) => Some(state(*from, buffer)?),
            None => None,
        };
        let adapter = placed.adapter();
        let trainer = match placed {
            Placed::Cpu => Trainer::new(settings, state),
            #[cfg(feature = "webgpu")]
            Placed::WebGpu { device, .. } => Trainer::on_device(settings, state, &device).await,
        };
        let trainer = trainer.map_err(failure)?;
        let started = TrainingReply::Started {
            spec: Box::new(trainer.spec()),
            parameters: trainer.parameters(),
            adapter,
        };
        post(id, started, None);
        Ok(Run {
            id,
            trainer,
            snapshot_every: snapshot_every.max(1),
            is_paused: false,
            seconds,
            recent: VecDeque::new(),
            unsaid: vec![],
            said_ms: now_ms(),
        })
    }

    /// Returns the number of the request that started the run.
    pub fn id(&self) -> RequestId {
        self.id
    }

    /// Returns true if a turn would make a step.
    pub fn goes_on(&self) -> bool {
        !self.is_paused && !self.trainer.is_finished()
    }

    /// Makes steps for a few hundredths of a second, at least one, and reports.
    pub async fn turn(&mut self) -> Result<(), TrainingFailure> {
        let began_ms = now_ms();
        while self.goes_on() && now_ms() - began_ms < TURN_MS {
            self.step().await?;
            let step = self.trainer.steps_made();
            if step.is_multiple_of(self.snapshot_every) && self.goes_on() {
                self.say_progress();
                self.say_snapshot().await?;
            }
        }
        if self.trainer.is_finished() {
            self.say_progress();
            self.say_snapshot().await?;
            self.say_end();
        } else if now_ms() - self.said_ms >= BETWEEN_MS {
            self.say_progress();
        }
        Ok(())
    }

    /// Pauses the run until [`resume`](Self::resume).
    pub async fn pause(&mut self) -> Result<(), TrainingFailure> {
        self.is_paused = true;
        self.say_progress();
        self.say_snapshot().await?;
        let step = self.trainer.steps_made();
        post(self.id, TrainingReply::Paused { step }, None);
        Ok(())
    }

    /// Resumes the run after a pause.
    pub fn resume(&mut self) {
        self.is_paused = false;
        self.say_end();
    }

    /// Watches another example from now on.
    pub fn watch(&mut self, example: &Example) -> Result<(), TrainingFailure> {
        self.trainer.watch(example).map_err(failure)
    }

    /// Watches the example of the task with the given input.
    pub fn watch_input(&mut self, input: &str) -> Result<(), TrainingFailure> {
        self.trainer.watch_input(input).map_err(failure)
    }

    /// Sends a snapshot of the model in its current state.
    pub async fn say_snapshot(&self) -> Result<(), TrainingFailure> {
        let Trained {
            config,
            tokenizer,
            weights,
            optimizer,
        } = self.trainer.trained().await.map_err(failure)?;
        let snapshot = Snapshot {
            step: self.trainer.steps_made(),
            seconds: self.seconds,
            evaluation: self.trainer.evaluate().await.map_err(failure)?,
            observation: self.trainer.observe().await.map_err(failure)?,
            config,
            tokenizer,
            weights,
            optimizer,
        };
        let (header, buffer) = snapshot.write();
        let reply = TrainingReply::Snapshot(Box::new(header));
        post(self.id, reply, Some(&buffer));
        Ok(())
    }

    /// Reports the end if all steps are done: a checkpoint may be at the last step already.
    pub fn say_end(&self) {
        if self.trainer.is_finished() {
            let step = self.trainer.steps_made();
            post(self.id, TrainingReply::Finished { step }, None);
        }
    }

    async fn step(&mut self) -> Result<(), TrainingFailure> {
        let began_ms = now_ms();
        let report = match self.trainer.step().await {
            Ok(report) => report,
            Err(error) => {
                // What led there is to be seen.
                self.say_progress();
                return Err(failure(error));
            }
        };
        let took = (now_ms() - began_ms) / 1000.0;
        self.seconds += took;
        self.recent.push_back(took);
        while self.recent.len() > 1 && self.recent.iter().skip(1).sum::<f64>() > RATED_S {
            self.recent.pop_front();
        }
        self.unsaid.push(report);
        Ok(())
    }

    fn say_progress(&mut self) {
        self.said_ms = now_ms();
        if self.unsaid.is_empty() {
            return;
        }
        let took: f64 = self.recent.iter().sum();
        let progress = TrainingReply::Progress {
            steps: std::mem::take(&mut self.unsaid),
            seconds: self.seconds,
            // A clock may be too coarse to see a step.
            steps_per_second: self.recent.len() as f64 / took.max(1e-3),
            memory_bytes: memory_bytes(),
        };
        post(self.id, progress, None);
    }
}

/// Reads the state of training from a checkpoint's bytes.
fn state(from: Checkpoint, buffer: &[u8]) -> Result<State<'_>, TrainingFailure> {
    let parts = buffer.split_at_checked(from.weights_bytes);
    let (weights, optimizer) = parts.ok_or_else(|| TrainingFailure::Checkpoint {
        reason: "it was cut short".to_owned(),
    })?;
    Ok(State {
        step: from.step,
        weights,
        optimizer,
    })
}

/// Converts an error to a failure for the page.
fn failure(error: WatchError) -> TrainingFailure {
    match error {
        WatchError::Settings(fault) => TrainingFailure::Settings { fault },
        WatchError::Example(fault) => TrainingFailure::Example { fault },
        WatchError::Diverged { step } => TrainingFailure::Diverged { step },
        WatchError::Checkpoint(reason) => TrainingFailure::Checkpoint { reason },
        WatchError::WrongNumbers { part, difference } => {
            TrainingFailure::WrongNumbers { part, difference }
        }
        WatchError::Model(ModelError::Device(reason)) => TrainingFailure::DeviceLost { reason },
        WatchError::Model(error) => TrainingFailure::Engine {
            reason: error.to_string(),
        },
    }
}
