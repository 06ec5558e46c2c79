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
    /// Sources with different rules for long test sentences, of which `config.json` can name only one.
    #[error(
        "the recipe's [[data]] entries for {first} and {other} differ in `long_test`: give all entries the same"
    )]
    LongTest {
        /// The file of the first source.
        first: String,
        /// The file of a source that differs.
        other: String,
    },
    /// The recipe names files, the caller no directory.
    #[error("the recipe names files: say with --data where they are")]
    NoDirectory,
    /// The task cannot be learned as the recipe has it.
    #[error("[task]: {0}")]
    Task(&'static str),
    /// A model that has nothing to begin or end a sequence with.
    #[error("the recipe's [model] needs {0}")]
    Token(&'static str),
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
    /// A number of the recipe that is not finite, or out of its range.
    #[error("the recipe's {name} is {value}; it must be {allowed}")]
    Rate {
        /// Which.
        name: &'static str,
        /// What it is.
        value: f64,
        /// What it may be.
        allowed: &'static str,
    },
    /// What the run began with has changed: going on would be another run.
    #[error(
        "{what} is not what the run in {run} began with: put it back, or train into another directory"
    )]
    Changed {
        /// What has changed.
        what: String,
        /// The directory of the run's checkpoints.
        run: String,
    },
    /// A run of an earlier version, of which nothing says whether its files belong together.
    #[error(
        "{path} is a run of an earlier version, which cannot be gone on with: remove it, or train into \
         another directory"
    )]
    OldRun {
        /// The directory of the run's checkpoint.
        path: String,
    },
    /// A checkpoint cannot be written or read.
    #[error("checkpoint: {0}")]
    Checkpoint(String),
    /// The model failed.
    #[error(transparent)]
    Model(#[from] ModelError),
}
