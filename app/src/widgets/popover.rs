//! Something that opens below its name, and closes when the visitor turns to anything else.

use leptos::{ev, html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::Node;

/// A name that opens its contents.
#[component]
pub fn Popover(
    /// How its name looks.
    class: &'static str,
    /// For tests.
    test_id: &'static str,
    /// Its name.
    #[prop(into)]
    name: ViewFn,
    /// What it opens.
    children: Children,
) -> impl IntoView {
    let details = NodeRef::<html::Details>::new();
    let close = move || {
        if let Some(details) = details.get_untracked() {
            details.set_open(false);
        }
    };
    let pressed = window_event_listener(ev::pointerdown, move |event| {
        let target: Option<Node> = event.target().and_then(|target| target.dyn_into().ok());
        let own = details.get_untracked();
        if !own.is_some_and(|own| own.contains(target.as_ref())) {
            close();
        }
    });
    on_cleanup(move || pressed.remove());
    view! {
        <details
            class="popover"
            node_ref=details
            data-testid=test_id
            on:keydown=move |event| {
                if event.key() == "Escape" {
                    close();
                }
            }
        >
            <summary class=class>{name.run()}</summary>
            <div class="popover-body">{children()}</div>
        </details>
    }
}
