//! The differences between two passes of the same model over the same tokens, as with weights stored in two precisions.

mod heads;
mod logits;
mod parting;
mod unlike;

pub use self::{
    heads::{HeadDifference, head_differences},
    logits::{LogitDifference, logit_differences},
    parting::{Parting, parting_step},
    unlike::{Unlike, unlike_models, unlike_tokens},
};
