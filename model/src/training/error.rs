//! The errors of training runs.

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
        /// The path of the file.
        path: String,
        /// The number of the line, from 1.
        line: usize,
        /// The number of columns needed.
        columns: usize,
    },
    /// The recipe names neither files nor a task, or both.
    #[error("a recipe has either [[data]] and [tokenizer], or [task]")]
    DataOrTask,
    /// The sources have different rules for long test sentences, and `config.json` can name only one.
    #[error(
        "the recipe's [[data]] entries for {first} and {other} differ in `long_test`: give all entries the same"
    )]
    LongTest {
        /// The file of the first source.
        first: String,
        /// The file of a source that differs.
        other: String,
    },
    /// The recipe names files, but the caller gave no directory.
    #[error("the recipe names files: say with --data where they are")]
    NoDirectory,
    /// The task cannot be learned with the recipe's settings.
    #[error("[task]: {0}")]
    Task(&'static str),
    /// The model lacks a token that begins or ends a sequence.
    #[error("the recipe's [model] needs {0}")]
    Token(&'static str),
    /// There are no examples to learn from.
    #[error("no training example is left after splitting")]
    NoData,
    /// The loss is not a number any more.
    #[error("the loss is {loss} at step {step}: lower the learning rate")]
    Diverged {
        /// The step, counted from the beginning.
        step: usize,
        /// The value of the loss.
        loss: f32,
    },
    /// A worker thread died.
    #[error("a worker thread panicked; its message is above")]
    Worker,
    /// A number of the recipe is not finite, or out of range.
    #[error("the recipe's {name} is {value}; it must be {allowed}")]
    Rate {
        /// The name of the number.
        name: &'static str,
        /// The value in the recipe.
        value: f64,
        /// The range of allowed values.
        allowed: &'static str,
    },
    /// The recipe, the data or the tokenizer of the run has changed: training on would be another run.
    #[error(
        "{what} is not what the run in {run} began with: put it back, or train into another directory"
    )]
    Changed {
        /// The part that has changed.
        what: String,
        /// The directory of the run's checkpoints.
        run: String,
    },
    /// The run is of an earlier version, which did not record the files it began with.
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
    /// The model returned an error.
    #[error(transparent)]
    Model(#[from] ModelError),
}
