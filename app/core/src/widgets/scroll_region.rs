//! What may be wider than the room it has.

use leptos::prelude::*;

/// Contents that scroll by themselves, by pointer and, once they have the focus, by keyboard.
#[component]
pub fn ScrollRegion(
    /// What it holds, for those who do not see it: a name that no other region on screen has.
    #[prop(into)]
    name: Signal<String>,
    /// How it looks.
    #[prop(default = "table-scroll")]
    class: &'static str,
    /// For tests.
    #[prop(optional)]
    test_id: Option<&'static str>,
    /// The contents.
    children: Children,
) -> impl IntoView {
    view! {
        <div class=class role="region" tabindex="0" aria-label=name data-testid=test_id>
            {children()}
        </div>
    }
}
