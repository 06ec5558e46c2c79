//! Records of a forward pass, and the closed formulas that the model uses.
//!
//! Host data only, free of burn, so that the page can hold a [`Trace`] and compute a position
//! curve with the very function the model runs, without linking a tensor library.

#![warn(missing_docs)]

mod align;
pub mod alignment;
mod array;
mod cached;
pub mod card;
pub mod circuits;
pub mod config;
mod conversation;
mod decoding;
pub mod derived;
pub mod difference;
mod differential;
mod display;
mod edit;
mod estimates;
mod excerpt;
mod fixed_point;
pub mod flash;
mod flow;
pub mod gates;
mod hash;
mod head_scores;
pub mod judging;
mod latent;
pub mod layers;
mod lengths;
mod lens;
pub mod lessons;
mod memory;
mod nonlinearity;
mod openings;
mod parameter;
mod patching;
mod picture;
pub mod positions;
mod probability;
pub mod python;
mod quantity;
mod recurrence;
mod reuse;
pub mod roles;
pub mod search;
mod series;
mod set_row;
mod shuffle;
mod site;
pub mod snippets;
mod source_lengths;
mod spec;
pub mod spelling;
pub mod text;
mod token;
mod trace;
pub mod training;
mod windowed;

pub use align::{Pair, align};
pub use array::Array;
pub use cached::times_computed;
pub use conversation::{Role, TemplateFault, Turn};
pub use decoding::{
    Candidate, Considered, Decoding, DrawnToken, ForcedToken, Guess, Hypothesis, Odds, Search, Step,
};
pub use differential::differential;
pub use display::{Display, LeftOut, ShownAxes, ShownAxis};
pub use edit::{Edit, EditFault, is_permutation};
pub use estimates::{EstimateQuestion, PatchEstimate, PatchEstimates, RunTokens};
pub use excerpt::{Excerpt, LIGHT_BYTES, Slice, block_starts};
pub use fixed_point::FixedPointSum;
pub use hash::fnv1a;
pub use head_scores::{HeadScore, HeadScores, SetScore, read_head_scores};
pub use latent::Latent;
pub use lengths::{LengthScore, LengthScores, PlaceScore, read_length_scores};
pub use lens::{
    Attribution, Lens, LensAnswer, LensQuestion, Part, ReadWord, Reading, Share, Wanted,
};
pub use nonlinearity::Nonlinearity;
pub use openings::{Chosen, Opening, Openings, TargetOpening, language_named};
pub use parameter::{ArrayName, Parameter, Weight};
pub use patching::{
    Contender, MapQuestion, Patched, PatchedCell, PatchedPlace, PatchedRun, PatchingAnswer,
    PatchingEnds, PatchingMap, PatchingPair, PatchingQuestion, PatchingRun, PatchingRuns,
    TakenInto,
};
pub use picture::{PictureGrid, PicturePart};
pub use probability::{log_probability, softmax};
pub use quantity::{Quantities, Quantity, THUMBNAIL_EDGE};
pub use recurrence::{
    AlignmentScore, RecurrenceSpec, RecurrentAttention, localised, window_factor,
};
pub use reuse::{Halting, Ponder, ReuseSpec};
pub use series::{GroupedSum, Series, SeriesQuestion, TokenTime, WrittenText};
pub use set_row::SetRow;
pub use shuffle::{ShuffledRow, shuffled_key, total_variation};
pub use site::{AttentionKind, AttentionLayer, Block, NameError, Site, Stack, Sublayer};
pub use source_lengths::{BinScore, BleuByLength, LengthBin, read_bleu_by_length};
pub use spec::{
    FeedForwardSpec, Generates, LayerAttention, ModelSpec, NormKind, NormPlacement, NormSpec,
    PatchSpec, PositionSpec, StackSpec,
};
pub use token::{Pieces, Token, WordMark};
pub use trace::{FORMAT, LARGEST_TRACE_BYTES, Origin, Trace, TraceError, TraceMeta};
pub use windowed::Window;
