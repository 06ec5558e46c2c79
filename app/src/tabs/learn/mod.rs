//! The tab "Learn": the index of chapters, and the frame around the open one.

mod arrange;
mod beside;
mod done;
mod frame;
mod index;
mod rows;

use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use self::frame::LearnView;

/// Returns the view of the tab. In a chunk with everything that only the chapters use.
///
/// # Errors
/// If the chunk cannot be downloaded; calling again tries again.
#[wasm_split(learn, fallible)]
pub fn learn() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| view! { <LearnView /> }.into_any())
}
