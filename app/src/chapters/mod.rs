//! The chapters of the "Learn" tab. The frame is here, a folder each holds what a chapter shows, and
//! what it says is in `assets/chapters`.

mod bar_figure;
mod follow;
mod frame;
mod head_choice;
mod link;
mod matrix;
mod norms;
mod order;
mod plane_field;
mod positions;
mod prompt;
mod scale;
mod scores;
mod sight;
mod sizes;
mod stages;
mod text;

use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use self::frame::LearnView;
use crate::chunks::Show;

/// What shows the tab; in a chunk with all that only the chapters use.
///
/// # Errors
/// If the chunk cannot be downloaded; calling again tries again.
#[wasm_split(learn, fallible)]
pub fn learn() -> Result<Show, SplitLoaderError> {
    Ok(|| view! { <LearnView /> }.into_any())
}
