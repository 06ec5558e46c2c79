//! Roles of heads, as numbers: the share of a head's attention on the keys of a role, beside the share that would be
//! there by chance if the head attended evenly.
//!
//! Heads with such roles were described in translators by Voita et al. (2019, "Analyzing Multi-Head Self-Attention")
//! and in BERT by Clark et al. (2019, "What Does BERT Look At?").

mod marks;
mod places;
mod published;
mod sentences;
mod tally;

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantArray};

pub use marks::Mark;
pub use places::Places;
pub(crate) use places::is_mark;
pub use published::{
    AlignedSet, HeadRoles, InductionSet, LikeHead, MostSentence, RoleSet, SentenceTokens,
    WordCount, read_role_set, write_role_set,
};
pub use sentences::{RoleSentence, RolesProgress, RolesQuestion, SkipReason, SkippedSentence};
pub use tally::{CLEAR, HeadTally, LEAST_QUERIES, RoleScore, RoleScores};

/// The offsets that are told apart: up to so many tokens back and ahead.
pub const REACH: usize = 8;

/// A role that a head may have.
///
/// The score of a role is the mean, over the queries that have such a key and another one to choose, of the weight on
/// all such keys.
#[derive(
    Clone,
    Copy,
    Debug,
    Display,
    EnumString,
    VariantArray,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Role {
    /// Self-attention: weight on the token before the query.
    Previous,
    /// Self-attention: weight on the token after it.
    Next,
    /// Self-attention: weight on the query's own place.
    Own,
    /// Self-attention: weight on the same token at other places.
    Same,
    /// Weight on the first token: of the source, or the start token of the target.
    First,
    /// Weight on the token that ends the source.
    End,
    /// Weight on punctuation marks.
    Punctuation,
    /// Weight on the key `k` places after the query, of all `k` from −8 to 8 that which is most above chance. In
    /// cross-attention, `k = 0` is the source token in the place that the written token gets.
    Offset,
    /// Cross-attention: weight on the tokens of the source words that a person linked to the word being written, in the
    /// rows that write it.
    Alignment,
    /// Weight on the token after an earlier occurrence of the query's token (prefix matching of induction heads, Olsson
    /// et al. 2022), measured on random tokens that are repeated.
    Induction,
}

impl Role {
    /// All roles, in the order in which they are listed.
    pub const ALL: &'static [Role] = Role::VARIANTS;
}
