//! Normalisation, the residual stream, the feed-forward network.

use leptos::prelude::*;

use super::text::Prose;

/// The chapter.
#[component]
pub fn NormsChapter() -> impl IntoView {
    view! { <Prose part="intro" /> }
}
