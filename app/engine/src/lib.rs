//! A loaded model and its answers to the page, apart from the program that loads it.
//!
//! A [`Host`] is that program: a Web Worker, or `attn serve`. A [`Session`] is the state between the messages of one page:
//! its newest request, its model, and what is kept of its newest result.

#![warn(missing_docs)]

mod chosen;
mod engine;
pub mod failure;
mod host;
mod pace;
mod parts;
mod patching;
mod questions;
mod roles;
mod session;

pub use chosen::Chosen;
pub use engine::{Engine, Found, Outcome};
pub use host::Host;
pub use session::Session;
