//! Ways to score a key against a query.

use leptos::prelude::*;

use super::text::Prose;

/// The chapter.
#[component]
pub fn ScoresChapter() -> impl IntoView {
    view! { <Prose part="intro" /> }
}
