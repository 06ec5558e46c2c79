//! Models that use one block at every depth: the number of depths that each token used, for the tab "Model" and a
//! chapter.

mod data;
mod table;

pub use self::{
    data::{Halts, Reused, UsedBy, means, stack_tokens, used_depths},
    table::StackDepths,
};
