//! Heads that are switched off: the controls that do it, what it does to the text, and what each head matters.

mod align;
mod bar;
mod distribution;
mod effect;
mod importance;
mod mark;
mod switch;
mod texts;

pub use self::{
    bar::EditBar,
    distribution::Distributions,
    importance::{ImportanceNote, ImportanceToggle},
    mark::EditedMark,
    switch::SwitchOff,
    texts::signed,
};
