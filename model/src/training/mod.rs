//! Training of small models in the page ([`watched`]), and of recipes by `attn train <recipe.toml>`.

mod batch;
mod loss;
pub mod watched;

#[cfg(feature = "cli")]
mod checkpoint;
#[cfg(feature = "cli")]
mod corpus;
#[cfg(feature = "cli")]
mod data;
#[cfg(feature = "cli")]
mod deal;
#[cfg(feature = "cli")]
mod error;
#[cfg(feature = "cli")]
mod files;
#[cfg(feature = "cli")]
mod masking;
#[cfg(feature = "cli")]
mod origin;
#[cfg(feature = "cli")]
mod recipe;
#[cfg(feature = "cli")]
mod run;
#[cfg(feature = "cli")]
mod task;
#[cfg(feature = "cli")]
mod tokenizer;

#[cfg(feature = "cli")]
#[cfg(feature = "cli")]
pub use self::{
    corpus::{Corpus, Example, LONG_TEST_ENTRY, LongTest, PairFault, Split},
    error::TrainError,
    recipe::{ModelRecipe, Optimization, Recipe, Source, TokenizerRecipe},
    run::{TrainOptions, train},
    task::{TASK_ENTRY, Task},
};
#[cfg(feature = "cli")]
pub use attention_trace::training::Schedule;
