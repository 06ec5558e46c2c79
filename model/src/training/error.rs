//! What can go wrong in training.

use thiserror::Error;

use crate::error::ModelError;

/// An error of a training run.
#[derive(Debug, Error)]
pub enum TrainError {
    /// The recipe cannot be understood.
    #[error("the recipe cannot be read: {0}")]
    Recipe(#[from] toml::de::Error),
    /// A line of the data has fewer columns than the recipe names.
    #[error("{path}, line {line}: fewer than {columns} tab-separated columns")]
    Columns {
        /// The file.
        path: String,
        /// Its line, from 1.
        line: usize,
        /// Columns needed.
        columns: usize,
    },
    /// The recipe names neither files nor a task, or both.
    #[error("a recipe has either [[data]] and [tokenizer], or [task]")]
    DataOrTask,
    /// The recipe names files, the caller no directory.
    #[error("the recipe names files: say with --data where they are")]
    NoDirectory,
    /// The task cannot be learned as the recipe has it.
    #[error("[task]: {0}")]
    Task(&'static str),
    /// Nothing to train on.
    #[error("no training example is left after splitting")]
    NoData,
    /// The loss is not a number any more.
    #[error("the loss is {loss} at step {step}: lower the learning rate")]
    Diverged {
        /// The step.
        step: usize,
        /// The loss.
        loss: f32,
    },
    /// A worker thread died.
    #[error("a worker thread panicked; its message is above")]
    Worker,
    /// A checkpoint cannot be written or read.
    #[error("checkpoint: {0}")]
    Checkpoint(String),
    /// The model failed.
    #[error(transparent)]
    Model(#[from] ModelError),
}
