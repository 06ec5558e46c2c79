//! Hints about keys, after those about the pointer.

use leptos::prelude::*;

/// A sentence about keys at the end of a hint. A touch screen, which mostly has no keyboard, does not show it.
#[component]
pub fn KeyHint(
    /// The sentence about keys.
    children: Children,
) -> impl IntoView {
    view! {
        " "
        <span class="key-hint">{children()}</span>
    }
}
