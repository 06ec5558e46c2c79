//! Training that a visitor watches: the model, its data and its settings, as the page chooses them and the trainer uses
//! them, and the reports of the trainer. Plain data that the page, the worker and `attn` share.

mod config;
mod fault;
mod numerals;
mod report;
mod rules;
mod schedule;
mod settings;
mod task;
mod vocabulary;

pub use config::LearnerConfig;
pub use fault::{ExampleFault, Number, Side, TrainingFault};
pub use numerals::spelled;
pub use report::{AttentionRecord, CheckedPart, Evaluation, Observation, Prediction, StepReport};
pub use schedule::{Decay, Schedule};
pub use settings::{
    Architecture, CONTEXT, FEED_FORWARD_FACTOR, OptimizerKind, OptimizerSettings, RATES, Shape,
    TrainingSettings,
};
pub use task::{Example, SEPARATOR, Sequences, Task, TaskKind};
pub use vocabulary::{END, PADDING, UNKNOWN, Vocabulary};
