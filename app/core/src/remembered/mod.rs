//! What is kept from visit to visit, in this browser alone: the language, the theme, the size of type, and the texts that ran last.

mod choices;
mod recent;
pub mod storage;

pub use self::{
    choices::{complete, keep_language, keep_large, keep_theme},
    recent::{Recent, forget_recent, keep_recent, recent},
};
