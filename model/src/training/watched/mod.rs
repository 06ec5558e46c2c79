//! Training in the page: a small model learns a task, step by step, and shows its attention as it forms.
//!
//! It needs no files and no clock, so that it runs in a browser's worker as well as natively. Reading from a device is
//! asynchronous, since a browser cannot block on its GPU; on the CPU, results are available at once.

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
