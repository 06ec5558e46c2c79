//! Models that use one block at every depth: how many depths each token used, as the tab "Model" and a chapter show it.

mod data;
mod table;

pub use self::{
    data::{Halts, Reused, UsedBy, means, stack_tokens, used_depths},
    table::StackDepths,
};
