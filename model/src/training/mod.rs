//! Training, as `attn train <recipe.toml>` runs it.

mod batch;
mod corpus;
mod error;
mod recipe;
mod run;
mod schedule;
mod tokenizer;

pub use corpus::{Corpus, Example, Split};
pub use error::TrainError;
pub use recipe::{ModelRecipe, Optimization, Recipe, Source, TokenizerRecipe};
pub use run::{TrainOptions, train};
pub use schedule::Schedule;
