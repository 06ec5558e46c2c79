//! What the page and the worker that trains say to each other.
//!
//! A worker trains one model at a time. The page numbers its requests; every reply carries the number of the
//! [`TrainingRequest::Start`] whose run it tells of, or 0 before there is one. The worker trains between messages, so a
//! request is heard within a step or a few hundredths of a second, whichever is longer.

mod snapshot;

use attention_trace::ModelSpec;
use attention_trace::training::{
    CheckedPart, Example, ExampleFault, StepReport, TrainingFault, TrainingSettings,
};
use serde::{Deserialize, Serialize};

pub use snapshot::{Snapshot, SnapshotHeader};

/// What a run is to be trained on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "device", rename_all = "snake_case")]
pub enum TrainingDevice {
    /// The CPU, one thread of it.
    #[default]
    Cpu,
    /// The browser's GPU interface.
    WebGpu {
        /// Whether a software adapter will do.
        allow_software: bool,
    },
}

/// From the page to the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum TrainingRequest {
    /// Train a new model, or go on from a checkpoint; what ran before is given up. Answered by
    /// [`TrainingReply::Started`] and a snapshot, then [`TrainingReply::Progress`] at most ten times a second, a snapshot
    /// now and then, and a last one with [`TrainingReply::Finished`].
    Start {
        /// What decides the run.
        settings: Box<TrainingSettings>,
        /// What trains it. The worker has to be one that can: the CPU's does not know WebGPU.
        device: TrainingDevice,
        /// The checkpoint to go on from; its bytes are the message's buffer, as [`Snapshot::checkpoint`] makes them. The
        /// settings may be others than those it was trained with, but for the task's characters and the shape.
        from: Option<Checkpoint>,
        /// Steps between snapshots, at least 1.
        snapshot_every: usize,
        /// The example whose attention is watched; one that is held out unless given.
        watch: Option<Example>,
    },
    /// Make no further step until [`TrainingRequest::Resume`]. Answered by [`TrainingReply::Paused`] and a snapshot.
    Pause,
    /// Go on as if there had been no pause. Answered by [`TrainingReply::Progress`], or [`TrainingReply::Finished`] where
    /// all steps are made.
    Resume,
    /// Give up the run. Answered by nothing.
    Stop,
    /// Watch another example from now on. Answered by a snapshot, or by [`TrainingFailure::Example`], which stops nothing.
    Watch {
        /// The example's input; the task says what is to be written after it.
        input: String,
    },
}

/// A state of training that can be gone on from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Steps made.
    pub step: usize,
    /// Seconds they took.
    pub seconds: f64,
    /// Length of `model.safetensors`, which the buffer begins with; what the optimizer remembers follows.
    pub weights_bytes: usize,
}

/// From the worker to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum TrainingReply {
    /// The worker runs and listens.
    Booted,
    /// The model is made.
    Started {
        /// What it is.
        spec: Box<ModelSpec>,
        /// Number of weights.
        parameters: usize,
        /// The name of the adapter that trains; `None` on the CPU.
        adapter: Option<String>,
    },
    /// Steps were made.
    Progress {
        /// The steps since the last such reply.
        steps: Vec<StepReport>,
        /// Seconds spent on steps so far, pauses and snapshots left out.
        seconds: f64,
        /// Steps a second, over about the last second.
        steps_per_second: f64,
        /// Memory of the worker's module.
        memory_bytes: u64,
    },
    /// The model at a step; the message's buffer holds what [`SnapshotHeader::read`] reads.
    Snapshot(Box<SnapshotHeader>),
    /// No further step is made for now.
    Paused {
        /// Steps made.
        step: usize,
    },
    /// All steps are made; a new start can go on from the last snapshot with more.
    Finished {
        /// Steps made.
        step: usize,
    },
    /// It did not work.
    Failed(TrainingFailure),
}

/// Why a request failed; the page puts it into words in the visitor's language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "failure", rename_all = "snake_case")]
pub enum TrainingFailure {
    /// No run can begin with these settings.
    Settings {
        /// What is wrong with them.
        fault: TrainingFault,
    },
    /// The task has no answer to the input that was to be watched; the run goes on.
    Example {
        /// What is wrong with it.
        fault: ExampleFault,
    },
    /// The loss is no number any more: the learning rate is too high. The run has stopped.
    Diverged {
        /// The step.
        step: usize,
    },
    /// The checkpoint is broken, or that of a model of another shape.
    Checkpoint {
        /// What is wrong with it.
        reason: String,
    },
    /// There is no run.
    NotStarted,
    /// There is no WebGPU adapter, or only a software one that was not asked for.
    NoWebGpu,
    /// The device computes the first step otherwise than the CPU, so it is not trained on.
    WrongNumbers {
        /// What is wrong.
        part: CheckedPart,
        /// The largest difference, in proportion to the largest of the right numbers; `None` if something was not a
        /// number, which JSON cannot say either.
        difference: Option<f32>,
    },
    /// The device could not be opened, was lost, or failed while it trained. The run has stopped.
    DeviceLost {
        /// What it said.
        reason: String,
    },
    /// burn failed. The run has stopped.
    Engine {
        /// What it said.
        reason: String,
    },
    /// The message was not understood: page and worker are of different versions.
    Protocol {
        /// What was wrong with it.
        reason: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survives<T: Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug>(
        value: T,
    ) {
        let json = serde_json::to_string(&value).unwrap();
        assert_eq!(serde_json::from_str::<T>(&json).unwrap(), value, "{json}");
    }

    #[test]
    fn requests_survive_the_way() {
        survives(TrainingRequest::Start {
            settings: Box::default(),
            device: TrainingDevice::WebGpu {
                allow_software: true,
            },
            from: Some(Checkpoint {
                step: 3,
                seconds: 0.5,
                weights_bytes: 12,
            }),
            snapshot_every: 10,
            watch: Some(Example {
                input: "abc".to_owned(),
                output: "cba".to_owned(),
            }),
        });
        for request in [
            TrainingRequest::Pause,
            TrainingRequest::Resume,
            TrainingRequest::Stop,
        ] {
            survives(request);
        }
        survives(TrainingRequest::Watch {
            input: "ab".to_owned(),
        });
    }

    #[test]
    fn replies_survive_the_way() {
        let steps = vec![StepReport {
            step: 1,
            loss: 2.5,
            accuracy: 0.125,
            learning_rate: 0.001,
        }];
        let config = TrainingSettings::default().config(12);
        for reply in [
            TrainingReply::Booted,
            TrainingReply::Started {
                spec: Box::new(config.spec()),
                parameters: 9,
                adapter: Some("a".to_owned()),
            },
            TrainingReply::Progress {
                steps,
                seconds: 0.25,
                steps_per_second: 4.0,
                memory_bytes: 1 << 33,
            },
            TrainingReply::Paused { step: 1 },
            TrainingReply::Finished { step: 2 },
        ] {
            survives(reply);
        }
    }

    #[test]
    fn every_failure_survives_the_way() {
        let reason = || "r".to_owned();
        for failure in [
            TrainingFailure::Settings {
                fault: TrainingFault::Rate {
                    value: None,
                    least: 0.5,
                    most: 1.0,
                },
            },
            TrainingFailure::Settings {
                fault: TrainingFault::NoExamples,
            },
            TrainingFailure::Example {
                fault: ExampleFault::Character { character: 'é' },
            },
            TrainingFailure::Diverged { step: 7 },
            TrainingFailure::Checkpoint { reason: reason() },
            TrainingFailure::NotStarted,
            TrainingFailure::NoWebGpu,
            TrainingFailure::WrongNumbers {
                part: CheckedPart::Gradients,
                difference: Some(0.5),
            },
            TrainingFailure::WrongNumbers {
                part: CheckedPart::Loss,
                difference: None,
            },
            TrainingFailure::DeviceLost { reason: reason() },
            TrainingFailure::Engine { reason: reason() },
            TrainingFailure::Protocol { reason: reason() },
        ] {
            survives(TrainingReply::Failed(failure));
        }
    }
}
