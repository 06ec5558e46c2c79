//! One head, from token to the layer's output.

use leptos::prelude::*;

use super::text::Prose;

/// The chapter.
#[component]
pub fn FollowChapter() -> impl IntoView {
    view! { <Prose part="intro" /> }
}
