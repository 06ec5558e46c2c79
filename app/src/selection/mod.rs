//! The head and the selected token: which ones the address asks for, which the model on screen has, and the controls
//! that choose others.

mod controls;
mod head;
mod query;
mod request;

pub use self::{
    controls::{HeadSelects, KindChoice},
    head::{HeadChoice, HeadMap, HeadNumbers},
    query::{Chosen, HeadControls, MOST_TOKENS, chosen_head, first_rows, names, recorded},
    request::Selection,
};
