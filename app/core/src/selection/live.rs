//! Content that needs a live result, with a line in its place while there is none.

use leptos::prelude::*;

use crate::{
    engine::{Engine, Live},
    i18n::{t, use_i18n},
};

/// Shows content that needs parts of a live result of the model; a line that says so while there is none.
#[component]
pub fn WhenLive(
    /// The content that needs a live result.
    children: ChildrenFn,
) -> impl IntoView {
    let i18n = use_i18n();
    let is_live = Live::expect().select(Engine::has_parts);
    let children = StoredValue::new(children);
    view! {
        <Show
            when=move || is_live.get()
            fallback=move || view! { <p class="hint">{t!(i18n, order.not_live)}</p> }
        >
            {children.with_value(|children| children())}
        </Show>
    }
}
