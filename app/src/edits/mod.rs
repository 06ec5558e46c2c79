//! Heads that are switched off: the controls that do it, what it does to the text, and what each head matters.

mod align;
mod bar;
mod distribution;
mod effect;
mod importance;
mod mark;
mod switch;
mod texts;
mod views;

pub use self::{
    importance::ImportanceToggle,
    mark::EditedMark,
    switch::SwitchOff,
    texts::signed,
    views::{Distributions, EditBar, ImportanceNote},
};
