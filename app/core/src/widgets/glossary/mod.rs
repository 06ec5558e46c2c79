//! The terms of the page, each with a definition that is one tap away.
//!
//! Any button with `data-term` opens the definition of the term it names: a [`TermButton`], or one in a text that
//! came as HTML. [`GlossaryTip`] listens for all of them, once for the page.

mod list;
mod place;
mod term;
mod tip;

pub use self::{
    list::GlossaryList,
    term::{Term, TermButton, gloss},
    tip::GlossaryTip,
};
