//! The errors of training in the page.

use attention_trace::training::{CheckedPart, ExampleFault, TrainingFault};
use thiserror::Error;

use crate::error::ModelError;

/// An error of a watched run.
#[derive(Debug, Error)]
pub enum WatchError {
    /// No run can begin with the settings.
    #[error(transparent)]
    Settings(#[from] TrainingFault),
    /// The task defines no answer to an input.
    #[error(transparent)]
    Example(#[from] ExampleFault),
    /// The loss is not a number any more.
    #[error("the loss is no number any more at step {step}: lower the learning rate")]
    Diverged {
        /// The step, counted from 1.
        step: usize,
    },
    /// The saved state of a run is broken, or its shape is another.
    #[error("the checkpoint: {0}")]
    Checkpoint(String),
    /// The device's results differ from those of the CPU.
    #[error("{part:?} on this device are not those of the CPU ({difference:?})")]
    WrongNumbers {
        /// The computation that is wrong.
        part: CheckedPart,
        /// The largest difference, in proportion to the largest of the right numbers; `None` if a result was not a
        /// number.
        difference: Option<f32>,
    },
    /// The model returned an error.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// Returns the error for a number that cannot be read from the device.
pub fn unread(error: impl std::fmt::Debug) -> WatchError {
    ModelError::Device(format!("{error:?}")).into()
}
