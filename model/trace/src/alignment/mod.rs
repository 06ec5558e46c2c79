//! Word alignment out of cross-attention: tokens merged into words, a link from each word of the target to the source
//! word that its row looks at most, and how far such links are from those that a person drew.

mod error_rate;
mod links;
mod pairs;
mod scores;
mod words;

pub use self::error_rate::{AlignmentCounts, Gold};
pub use self::links::{EndToken, Link, RowOf, links, word_weights};
pub use self::pairs::{AlignedPair, PairFault, read_aligned_pair};
pub use self::scores::{
    AlignmentScores, AlignmentSet, BestHeads, HeadErrors, RowErrors, read_alignment_scores,
};
pub use self::words::{Word, has_han, is_control, words_at, words_of};
