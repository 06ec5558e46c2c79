//! Recall of pairs of a key and a value, by attention over all keys or from a matrix of a fixed size.

mod learner;
mod read;
mod states;

pub use learner::RecallTrainer;
pub use states::write_states;
