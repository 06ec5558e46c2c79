//! Training, as `attn train <recipe.toml>` runs it.

mod batch;
mod checkpoint;
mod corpus;
mod data;
mod error;
mod files;
mod origin;
mod recipe;
mod run;
mod task;
mod tokenizer;

pub use attention_trace::training::Schedule;
pub use corpus::{Corpus, Example, Split};
pub use error::TrainError;
pub use recipe::{ModelRecipe, Optimization, Recipe, Source, TokenizerRecipe};
pub use run::{TrainOptions, train};
pub use task::{TASK_ENTRY, Task};
