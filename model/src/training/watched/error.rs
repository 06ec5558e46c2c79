//! What can go wrong in training that is watched.

use attention_trace::training::{CheckedPart, ExampleFault, TrainingFault};
use thiserror::Error;

use crate::error::ModelError;

/// An error of a watched run.
#[derive(Debug, Error)]
pub enum WatchError {
    /// No run can begin with the settings.
    #[error(transparent)]
    Settings(#[from] TrainingFault),
    /// The task has no answer to an input.
    #[error(transparent)]
    Example(#[from] ExampleFault),
    /// The loss is no number any more.
    #[error("the loss is no number any more at step {step}: lower the learning rate")]
    Diverged {
        /// The step.
        step: usize,
    },
    /// A state to go on from that is broken, or that of another shape.
    #[error("the checkpoint: {0}")]
    Checkpoint(String),
    /// The device computes something else than the CPU.
    #[error("{part:?} on this device are not those of the CPU ({difference:?})")]
    WrongNumbers {
        /// What is wrong.
        part: CheckedPart,
        /// The largest difference, in proportion to the largest of the right numbers; `None` if something was not a
        /// number.
        difference: Option<f32>,
    },
    /// The model failed.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// A number that the device did not give.
pub fn unread(error: impl std::fmt::Debug) -> WatchError {
    ModelError::Device(format!("{error:?}")).into()
}
