//! The messages between the page and the worker that trains.
//!
//! A worker trains one model at a time. The page numbers its requests; every reply carries the number of the
//! [`TrainingRequest::Start`] that began its run, or 0 before the first run. The worker trains between messages, so it
//! reads a request within a step or a few hundredths of a second, whichever is longer.

mod snapshot;

use attention_trace::ModelSpec;
use attention_trace::training::{
    CheckedPart, Example, ExampleFault, StepReport, TrainingFault, TrainingSettings,
};
use serde::{Deserialize, Serialize};

pub use snapshot::{Snapshot, SnapshotHeader};

/// The device that trains a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrainingDevice {
    /// One thread of the CPU.
    #[default]
    Cpu,
    /// The browser's GPU interface.
    WebGpu {
        /// True if a software adapter is allowed.
        allow_software: bool,
    },
}

/// A request of the page to the worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrainingRequest {
    /// Train a new model, or continue from a checkpoint; an earlier run is given up. Answered by
    /// [`TrainingReply::Started`] and a snapshot, then [`TrainingReply::Progress`] at most ten times a second, a
    /// snapshot now and then, and a last one with [`TrainingReply::Finished`].
    Start {
        /// The settings of the run.
        settings: Box<TrainingSettings>,
        /// The device that trains. The worker must support it: the CPU's worker has no WebGPU.
        device: TrainingDevice,
        /// The checkpoint to continue from; its bytes are the message's buffer, as [`Snapshot::checkpoint`] writes
        /// them. The settings may differ from those of the earlier training, except for the task's characters and the
        /// model's shape.
        from: Option<Checkpoint>,
        /// The number of steps between snapshots, at least 1.
        snapshot_every: usize,
        /// The example whose attention is watched; a held-out example if `None`.
        watch: Option<Example>,
    },
    /// Make no further step until [`TrainingRequest::Resume`]. Answered by [`TrainingReply::Paused`] and a snapshot.
    Pause,
    /// Continue as if there had been no pause. Answered by [`TrainingReply::Progress`], or by
    /// [`TrainingReply::Finished`] if all steps are done.
    Resume,
    /// Give up the run. This request has no reply.
    Stop,
    /// Watch another example from now on. Answered by a snapshot, or by [`TrainingFailure::Example`], after which the
    /// run continues.
    Watch {
        /// The input of the example; the task determines its output.
        input: String,
    },
}

/// A state from which training can continue.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The number of steps done.
    pub step: usize,
    /// The duration of these steps in seconds.
    pub seconds: f64,
    /// The length of `model.safetensors`, which comes first in the buffer; the optimizer's state follows.
    pub weights_bytes: usize,
}

/// A reply of the worker to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrainingReply {
    /// The worker has started and listens for requests.
    Booted,
    /// The model was created and training begins.
    Started {
        /// The architecture and the sizes of the model.
        spec: Box<ModelSpec>,
        /// The number of weights.
        parameters: usize,
        /// The name of the adapter that trains; `None` on the CPU.
        adapter: Option<String>,
    },
    /// Training has advanced by some steps.
    Progress {
        /// The steps since the last such reply.
        steps: Vec<StepReport>,
        /// The seconds spent on steps so far, without pauses and snapshots.
        seconds: f64,
        /// The steps per second, averaged over about the last second.
        steps_per_second: f64,
        /// The memory of the worker's module in bytes.
        memory_bytes: u64,
    },
    /// The model at a step; the message's buffer is read by [`SnapshotHeader::read`].
    Snapshot(Box<SnapshotHeader>),
    /// Training pauses until it is resumed.
    Paused {
        /// The number of steps done.
        step: usize,
    },
    /// All steps are done; a new start can continue from the last snapshot with more steps.
    Finished {
        /// The number of steps done.
        step: usize,
    },
    /// The request failed for the given reason.
    Failed(TrainingFailure),
}

/// The reason why a request failed; the page describes it in the visitor's language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrainingFailure {
    /// No run can begin with these settings.
    Settings {
        /// The fault of the settings.
        fault: TrainingFault,
    },
    /// The task has no answer to the input to be watched; the run continues.
    Example {
        /// The fault of the example.
        fault: ExampleFault,
    },
    /// The loss is no longer a finite number: the learning rate is too high. The run has stopped.
    Diverged {
        /// The step at which the loss diverged.
        step: usize,
    },
    /// The checkpoint is damaged, or from a model of another shape.
    Checkpoint {
        /// A description of the fault.
        reason: String,
    },
    /// No run has been started.
    NotStarted,
    /// There is no WebGPU adapter, or only a software one that is not allowed.
    NoWebGpu,
    /// The device's result of the first step differs from the CPU's, so it is not used for training.
    WrongNumbers {
        /// The part of the result that differs.
        part: CheckedPart,
        /// The largest difference, relative to the largest of the right numbers; `None` if a result was NaN, which JSON
        /// cannot represent.
        difference: Option<f32>,
    },
    /// The device could not be opened, was lost, or failed while it trained. The run has stopped.
    DeviceLost {
        /// The error message of the device.
        reason: String,
    },
    /// burn failed. The run has stopped.
    Engine {
        /// The error message of burn.
        reason: String,
    },
    /// The worker could not read the message: page and worker are of different versions.
    Protocol {
        /// The error found when reading the message.
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
