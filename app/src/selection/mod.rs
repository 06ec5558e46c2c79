//! The head and the selected token: which ones the address asks for, which the model on screen has, and the controls
//! that choose others.

mod chosen;
mod controls;
mod head;
mod requested;

pub use self::{
    chosen::{Chosen, HeadControls, MOST_TOKENS, chosen_head, first_rows, names, recorded},
    controls::{HeadSelects, KindChoice},
    head::{HeadChoice, HeadMap, HeadNumbers},
    requested::Selection,
};
