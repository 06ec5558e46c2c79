//! What attention does not know: order.

use leptos::prelude::*;

use super::text::Prose;

/// The chapter.
#[component]
pub fn OrderChapter() -> impl IntoView {
    view! { <Prose part="intro" /> }
}
