//! What a forward pass records, and the closed formulas the model uses.
//!
//! Host data only, free of burn, so that the page can hold a [`Trace`] and compute a position
//! curve with the very function the model runs, without linking a tensor library.

pub mod config;
mod decoding;
mod excerpt;
mod lengths;
pub mod lessons;
pub mod positions;
mod quantity;
mod site;
mod trace;

pub use decoding::{Candidate, Decoding, Hypothesis, Search, Step};
pub use excerpt::{Excerpt, Experiment, LIGHT_BYTES, Slice, THUMBNAIL_EDGE, thumbnails_of};
pub use lengths::{LengthScore, LengthScores, PlaceScore, read_length_scores};
pub use quantity::{Quantities, Quantity};
pub use site::{AttentionKind, Site};
pub use trace::{Array, Family, Token, Trace, TraceError, TraceMeta};
