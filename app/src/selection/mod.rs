//! The head and the token in sight: which ones the address asks for, which the model on screen has, and the controls
//! that choose others.

mod controls;
mod head;
mod query;

pub use self::{
    controls::{HeadSelects, KindChoice},
    head::{HeadChoice, HeadMap, HeadNumbers},
    query::{Chosen, HeadControls, MOST_TOKENS, chosen_head, first_rows, names, recorded},
};
