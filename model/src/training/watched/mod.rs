//! Training that is watched: a small model learns a task, step by step, and shows its attention as it forms.
//!
//! It asks for no files and no clock, so that it runs in a browser's worker as it does natively.

mod draw;
mod encode;
mod error;
mod examples;
mod learner;
mod observe;
mod tokenizer;
mod trainer;

pub use error::WatchError;
pub use trainer::{State, Trained, Trainer};
