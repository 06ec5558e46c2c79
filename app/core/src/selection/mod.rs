//! The selected head and token, or several of either: the ones that the address asks for, the ones that the model on
//! screen has, and the controls that choose others.

mod chosen;
mod controls;
mod drawing;
mod head;
mod live;
mod requested;
mod self_attention;
mod self_controls;
mod several;

pub use self::{
    chosen::{Chosen, HeadControls, MOST_TOKENS, chosen_head, first_rows, names, recorded},
    controls::{HeadSelects, KindChoice},
    drawing::{Direction, Drawing},
    head::{HeadMap, HeadNumbers, thumbnails},
    live::WhenLive,
    requested::Selection,
    self_attention::{ChosenToken, Kinds, SelfAttention, SelfPlace},
    self_controls::SelfControls,
    several::{Choice, MOST_HEADS, mean, rows_between, rows_extended, runs, with_head, with_row},
};
pub use crate::state::HeadChoice;
