//! A scrolling region for contents that may be wider than the page.

use leptos::prelude::*;

/// Contents that scroll by themselves, by pointer and, once they have the focus, by keyboard.
#[component]
pub fn ScrollRegion(
    /// The accessible name of the region, unique on screen.
    #[prop(into)]
    name: Signal<String>,
    /// The CSS class of the region.
    #[prop(default = "table-scroll")]
    class: &'static str,
    /// The `data-testid` of the element.
    #[prop(optional)]
    test_id: Option<&'static str>,
    children: Children,
) -> impl IntoView {
    view! {
        <div class=class role="region" tabindex="0" aria-label=name data-testid=test_id>
            {children()}
        </div>
    }
}
