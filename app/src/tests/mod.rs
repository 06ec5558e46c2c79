//! Tests of the page as a whole: its addresses, its texts and its routes. They are part of the crate, not beside
//! it, where each would be linked with the whole page: its views take minutes to compile, and no test draws them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use attention_core::state::View;

mod address;
mod addresses;
mod chapters;
mod coverage;
mod locales;
mod routes;
mod sheets;

/// Returns the view of an address, with all chapters installed.
pub fn view(address: &str) -> View {
    attention_chapters::install();
    View::from_fragment(address)
}
