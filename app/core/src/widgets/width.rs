//! The size of an element, observed as it changes.

use attention_protocol::OrLogged;
use js_sys::Array;
use leptos::{html, prelude::*};
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{HtmlElement, ResizeObserver};

/// A width where none is known yet, in CSS pixels.
const FIRST_GUESS: f64 = 640.0;

/// The element's width in CSS pixels, rounded.
pub fn observed_width(element: NodeRef<html::Div>) -> Memo<f64> {
    let size = observed_size(element);
    Memo::new(move |_| size.get().0)
}

/// The element's width and height in CSS pixels, rounded.
pub fn observed_size(element: NodeRef<html::Div>) -> ReadSignal<(f64, f64)> {
    let (size, set_size) = signal((FIRST_GUESS, FIRST_GUESS));
    // An effect because the layout lies outside the reactive graph.
    Effect::new(move |_| {
        let Some(element) = element.get() else { return };
        let watched: HtmlElement = element.into();
        let on_resize = {
            let watched = watched.clone();
            Closure::<dyn Fn(Array)>::new(move |_| {
                let measured = (
                    f64::from(watched.client_width()),
                    f64::from(watched.client_height()),
                );
                if measured.0 > 0.0 && size.try_get_untracked() != Some(measured) {
                    set_size.try_set(measured);
                }
            })
        };
        // Every browser that runs the engine has the observer; without one the guess stays.
        let Some(observer) = ResizeObserver::new(on_resize.as_ref().unchecked_ref())
            .or_logged("observing the width")
        else {
            return;
        };
        observer.observe(&watched);
        let held = StoredValue::new_local((observer, on_resize));
        on_cleanup(move || {
            held.try_with_value(|(observer, _)| observer.disconnect());
        });
    });
    size
}
