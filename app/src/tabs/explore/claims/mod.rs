//! "Test a claim": one tool at a time on the current head, and the results kept by the visitor.

mod bodies;
mod evidence;
mod frame;
mod rail;
mod shown;
mod tools;

use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use self::{evidence::EvidenceSection, frame::ToolFrame, rail::Rail};
use attention_core::state::ViewState;

pub use self::shown::{MapShows, lists_changes};

/// Returns the view of the tools. In the chunk of views that the first picture does not need.
///
/// # Errors
/// If the chunk cannot be downloaded; calling again tries again.
#[wasm_split(views, fallible)]
pub fn claims() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| view! { <Claims /> }.into_any())
}

/// The rail, the open tool, and the kept results.
#[component]
fn Claims() -> impl IntoView {
    let open = ViewState::expect().select(|view| view.tool);
    view! {
        <div class="claims">
            <Rail open />
            {move || view! { <ToolFrame tool=open.get() /> }}
            <EvidenceSection />
        </div>
    }
}
