//! Roles of heads, each with a score: measured on the text on screen, on the sentences that are published with a model
//! and on the visitor's, marked on the map, listed and filtered.

mod chips;
mod corpus;
mod listed;
mod looks;
mod measured;
mod measured_on;
mod names;
mod note;
mod published;
mod toggle;

pub use self::{
    chips::{Chip, RoleChips},
    corpus::{CorpusPanel, FoundRoles, OUR_SENTENCES, RoleCorpus, has_heads, weights_digest},
    looks::Looks,
    measured::{HeadMeasured, Measured, of_set, on_text},
    measured_on::MeasuredOn,
    names::{role_color, role_mark, role_name, role_term},
    note::role_words,
    published::{Fetched, Published, as_typed, has_published, published},
    toggle::{RolesNote, RolesOnMap, RolesToggle},
};
