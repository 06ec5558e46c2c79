//! Where the parameters are.

use leptos::prelude::*;

use super::text::Prose;

/// The chapter.
#[component]
pub fn SizesChapter() -> impl IntoView {
    view! { <Prose part="intro" /> }
}
