//! The foundation of every part of the page: the visitor's view ([`state::View`]), the worker behind it
//! ([`engine::Engine`]), the language, and the controls and figures of chapters and tabs.
//!
//! Components are thin views over plain structs that are tested natively. `README.md` lists the contexts that components
//! share.

#![recursion_limit = "512"]

pub mod appearance;
pub mod assets;
pub mod classroom;
pub mod depths;
pub mod edits;
pub mod engine;
pub mod hub;
pub mod kept;
pub mod language;
pub mod language_names;
pub mod lessons;
pub mod mine;
pub mod names;
pub mod navigation;
pub mod offline;
pub mod pictures;
pub mod problems;
pub mod remembered;
pub mod roles;
pub mod selection;
pub mod state;
pub mod steps;
pub mod taking;
pub mod texts;
pub mod training;
pub mod widgets;

pub use locales::i18n;

/// The module that the build script generates from `assets/locales`.
mod locales {
    #![allow(clippy::all, clippy::expect_used)]

    include!(concat!(env!("OUT_DIR"), "/i18n.rs"));
}
