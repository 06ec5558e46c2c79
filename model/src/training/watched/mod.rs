//! Training that is watched: a small model learns a task, step by step, and shows its attention as it forms.
//!
//! It asks for no files and no clock, so that it runs in a browser's worker as it does natively. What is read from a
//! device is awaited: a browser cannot wait for its GPU. On the CPU it is there at once.

mod check;
mod draw;
mod encode;
mod error;
mod examples;
mod learner;
mod observe;
mod optimizer;
mod read;
mod tokenizer;
mod trainer;

pub use error::WatchError;
pub use trainer::{State, Trained, Trainer};
