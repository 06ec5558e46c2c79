//! Elements that come and go below an element.

use attention_protocol::OrLogged;
use js_sys::Array;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Element, MutationObserver, MutationObserverInit};

/// Calls before the next picture when nodes came into an element or left it, at any depth, as long as the owner lives.
pub fn watch_children(element: &Element, changed: impl Fn() + 'static) {
    let on_change = Closure::<dyn Fn(Array)>::new(move |_| changed());
    // Every browser that runs the engine has the observer.
    let Some(observer) = MutationObserver::new(on_change.as_ref().unchecked_ref())
        .or_logged("observing an element's children")
    else {
        return;
    };
    let options = MutationObserverInit::new();
    options.set_child_list(true);
    options.set_subtree(true);
    observer
        .observe_with_options(element, &options)
        .or_logged("observing an element's children");
    let held = StoredValue::new_local((observer, on_change));
    on_cleanup(move || {
        held.try_with_value(|(observer, _)| observer.disconnect());
    });
}
