//! Positional encodings and what they do to a model.

use leptos::prelude::*;

use super::text::Prose;

/// The chapter.
#[component]
pub fn PositionsChapter() -> impl IntoView {
    view! { <Prose part="intro" /> }
}
