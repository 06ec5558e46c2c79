//! A modal dialog: the focus stays in it, and afterwards returns to its previous place.

use attention_protocol::OrLogged;
use leptos::{html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::{Element, Event};

/// Shows its contents in a modal dialog, which the Escape key and a click beside it close.
#[component]
pub fn Dialog(
    /// The CSS class of the dialog.
    class: &'static str,
    /// The `data-testid` of the dialog.
    test_id: &'static str,
    /// The identifier of the element with its title.
    title: &'static str,
    #[prop(into)] is_open: Signal<bool>,
    /// Notes that the dialog is closed.
    close: impl Fn() + Copy + Send + Sync + 'static,
    children: Children,
) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    // An effect because the browser opens and closes dialogs.
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        match is_open.get() {
            true if !dialog.open() => {
                dialog.show_modal().or_logged("opening a dialog");
            }
            true => {}
            false => dialog.close(),
        }
    });
    view! {
        <dialog
            class=class
            data-testid=test_id
            aria-labelledby=title
            node_ref=dialog
            on:close=move |_| {
                // Late, if it was opened again meanwhile.
                if !dialog.get_untracked().is_some_and(|dialog| dialog.open()) {
                    close();
                }
            }
            on:click=move |event| {
                if is_backdrop(&event) {
                    close();
                }
            }
        >
            {children()}
        </dialog>
    }
}

/// Returns true if the dialog itself was clicked. Its contents cover it, so such a click is on the backdrop.
fn is_backdrop(event: &Event) -> bool {
    let target = event.target().and_then(|target| target.dyn_into().ok());
    target.is_some_and(|target: Element| target.tag_name() == "DIALOG")
}
