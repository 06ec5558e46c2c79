//! Why scores are divided by √d_k, and why e^x.

use leptos::prelude::*;

use super::text::Prose;

/// The chapter.
#[component]
pub fn ScaleChapter() -> impl IntoView {
    view! { <Prose part="intro" /> }
}
