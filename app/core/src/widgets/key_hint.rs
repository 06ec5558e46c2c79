//! What keys do, after what a pointer does.

use leptos::prelude::*;

/// A sentence about keys at the end of a hint. A touch screen, which mostly has no keyboard, does not show it.
#[component]
pub fn KeyHint(
    /// The sentence.
    children: Children,
) -> impl IntoView {
    view! {
        " "
        <span class="key-hint">{children()}</span>
    }
}
