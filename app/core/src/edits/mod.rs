//! The visitor's changes in the model's passes, heads that are switched off and weights that are given: their controls,
//! their effect on the text, and the importance of each head.

mod bar;
mod cell;
mod control;
mod distribution;
mod effect;
mod game;
mod idle;
mod importance;
mod keys;
mod mark;
mod refusal;
mod rows;
mod set_scores;
mod switch;
mod texts;
mod views;
mod words;

pub use self::{
    cell::CellEditor,
    control::EditControl,
    game::GameToggle,
    idle::is_in_effect,
    importance::{ImportanceProgress, ImportanceToggle, importance_words, measure_importance},
    keys::{FORBID_KEY, PIN_KEY, SWITCH_KEY},
    mark::EditedMark,
    set_scores::{SetScores, is_shown as shows_set},
    switch::{OffBy, SwitchOff},
    texts::{Texts, effect_words, signed},
    views::{Distributions, EditBar, EditLine, GamePanel, ImportanceNote},
    words::edit_words,
};
