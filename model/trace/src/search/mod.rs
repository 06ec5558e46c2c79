//! Choosing a sequence from a model of the next token, small enough that all of them can be looked at: greedy,
//! exhaustive, beam and sampling on a table of probabilities.
//!
//! The definitions are those of the search that runs the models: prefixes are ranked by `Σ ln p`, finished sequences by
//! `(1/L^α) Σ ln p` with the end counted in `L`. Filters of sampling follow each other as in `transformers`:
//! temperature, top-k, top-p.

mod at_once;
mod beam;
mod cost;
mod exhaustive;
mod orders;
mod path;
mod sampling;
mod table;

pub use at_once::at_once;
pub use beam::{BeamNode, BeamTree, Fate, beam, greedy};
pub use cost::{Cost, MOST_SEQUENCES, TooMany, sequences};
pub use exhaustive::{Ending, Exhaustive, exhaustive};
pub use orders::Orders;
pub use path::{Path, length_score, ranks};
pub use sampling::{Draw, Sample, Sampler, Sampling, filtered};
pub use table::{LECTURE, LECTURE_PREFIXES, TableFault, TableModel, TableRow, lecture_table};
