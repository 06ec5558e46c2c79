//! Settings and marks kept from visit to visit, in this browser alone: the language, the theme, the size of type, the texts that ran last,
//! and the chapters that were read.

mod choices;
mod done;
mod recent;
pub mod storage;

pub use self::{
    choices::{complete, keep_language, keep_large, keep_theme},
    done::{done, keep_done},
    recent::{Recent, forget_recent, keep_recent, recent},
};
