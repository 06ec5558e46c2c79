//! The built page over HTTP, as `cargo xtask serve` and `attn serve` send it.

#![warn(missing_docs)]

mod files;
mod names;
pub mod policy;

pub use files::{files, with_headers};
pub use names::{DIGITS, is_fingerprinted};
