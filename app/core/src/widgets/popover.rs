//! A popover that opens below its name, and closes when the visitor turns to anything else or selects an element in it
//! that has `data-closes`.

use attention_protocol::OrLogged;
use leptos::{ev, html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::{Element, Node};

use super::keys::is_for_page;

/// A name that opens its contents.
#[component]
pub fn Popover(
    /// The CSS class of the name.
    class: &'static str,
    /// The `data-testid` of the element.
    test_id: &'static str,
    /// A key that opens and closes it wherever the focus is.
    #[prop(optional)]
    opened_by: Option<&'static str>,
    /// Is set when it is opened for the first time.
    #[prop(optional)]
    opened: Option<RwSignal<bool>>,
    /// The name that opens the popover.
    #[prop(into)]
    name: ViewFn,
    children: Children,
) -> impl IntoView {
    let details = NodeRef::<html::Details>::new();
    let summary = NodeRef::<html::Summary>::new();
    let close = move || {
        if let Some(details) = details.get_untracked() {
            details.set_open(false);
        }
    };
    let focus_name = move || {
        if let Some(summary) = summary.get_untracked() {
            summary.focus().or_logged("moving the focus");
        }
    };
    // What had the focus may be hidden now.
    let return_to_name = move || {
        close();
        focus_name();
    };
    let clicked = move |event: ev::MouseEvent| {
        let target: Option<Element> = event.target().and_then(|target| target.dyn_into().ok());
        let closes = target.map(|target| target.closest("[data-closes]"));
        if matches!(closes, Some(Ok(Some(_)))) {
            return_to_name();
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
    if let Some(key) = opened_by {
        let typed = window_event_listener(ev::keydown, move |event| {
            if let Some(details) = details.get_untracked()
                && is_for_page(&event, key)
            {
                event.prevent_default();
                details.set_open(!details.open());
                focus_name();
            }
        });
        on_cleanup(move || typed.remove());
    }
    view! {
        <details
            class="popover"
            node_ref=details
            data-testid=test_id
            on:toggle=move |_| {
                if let Some(opened) = opened.filter(|opened| !opened.get_untracked()) {
                    opened.set(true);
                }
            }
            on:keydown=move |event| {
                if event.key() == "Escape" {
                    return_to_name();
                }
            }
        >
            <summary class=class node_ref=summary>{name.run()}</summary>
            <div class="popover-body" on:click=clicked>
                {children()}
            </div>
        </details>
    }
}
