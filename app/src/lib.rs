//! The page: what a visitor sees of attention, drawn from a [`Trace`](attention_trace::Trace).
//!
//! Components are thin views over plain structs that are tested natively: [`state::View`] is what
//! the visitor looks at, [`engine::Engine`] what the model behind it does. `README.md` lists the
//! contexts that components share.

#![recursion_limit = "512"]

mod app;
mod appearance;
mod assets;
mod chapters;
pub mod class;
mod edits;
pub mod engine;
mod kept;
mod kit;
mod language;
mod lessons;
mod names;
mod navigation;
mod offline;
mod panic;
mod problems;
mod remembered;
mod selection;
mod shell;
pub mod state;
mod steps;
mod tabs;
#[cfg(test)]
mod tests;
mod texts;
mod training;
mod widgets;

pub use app::App;
pub use panic::show_panics;

pub use locales::i18n;

/// The module that the build script generates from `assets/locales`.
mod locales {
    #![allow(missing_docs, clippy::all, clippy::expect_used)]

    include!(concat!(env!("OUT_DIR"), "/i18n.rs"));
}
