//! A picture whose cells are chosen or drawn on, by pointer and by keys.

use leptos::{
    ev::{KeyboardEvent, PointerEvent},
    prelude::*,
};
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::stroke::cell_at;
use attention_core::widgets::pointer_in;
use attention_protocol::OrLogged;

/// An action of the pointer on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// The pointer was pressed on this cell.
    Down(usize),
    /// The pointer moved to this cell while it was pressed.
    Along(usize),
}

/// A picture that handles a pressed pointer and, while it has the focus, keys.
#[component]
pub fn PictureField(
    /// The `data-testid` of the element.
    test_id: &'static str,
    /// The accessible label: the picture's name and the chosen cell.
    #[prop(into)]
    label: Signal<String>,
    /// The picture as SVG, inserted into the element.
    #[prop(into)]
    drawing: Signal<String>,
    /// True if a moving finger draws and does not scroll the page.
    #[prop(into)]
    holds: Signal<bool>,
    /// Handles an action of the pointer.
    touch: impl Fn(Touch) + Copy + 'static,
    /// Handles a key; returns true if the key has a meaning here, which prevents the browser's default.
    key: impl Fn(&KeyboardEvent) -> bool + 'static,
) -> impl IntoView {
    let pressed = RwSignal::new(false);
    view! {
        <div
            class="picture-field"
            class:holds=holds
            role="application"
            tabindex="0"
            data-testid=test_id
            aria-label=label
            on:pointerdown=move |event| {
                pressed.set(true);
                capture(&event);
                if let Some(cell) = cell_under(&event) {
                    touch(Touch::Down(cell));
                }
            }
            on:pointermove=move |event| {
                if pressed.get_untracked() && let Some(cell) = cell_under(&event) {
                    touch(Touch::Along(cell));
                }
            }
            on:pointerup=move |_| pressed.set(false)
            on:pointercancel=move |_| pressed.set(false)
            on:keydown=move |event| {
                if key(&event) {
                    event.prevent_default();
                }
            }
            inner_html=drawing
        ></div>
    }
}

fn cell_under(event: &PointerEvent) -> Option<usize> {
    let [x, y, width, height] = pointer_in(event)?;
    (width > 0.0 && height > 0.0).then(|| cell_at(x / width, y / height))
}

/// Captures the pointer, so that its events arrive beyond the picture, too.
fn capture(event: &PointerEvent) {
    let field = event
        .current_target()
        .and_then(|field| field.dyn_into::<Element>().ok());
    if let Some(field) = field {
        field
            .set_pointer_capture(event.pointer_id())
            .or_logged("capturing the pointer");
    }
}

/// Returns the columns and rows that an arrow key moves by; `None` for other keys.
pub fn arrow(event: &KeyboardEvent) -> Option<(isize, isize)> {
    match event.key().as_str() {
        "ArrowLeft" => Some((-1, 0)),
        "ArrowRight" => Some((1, 0)),
        "ArrowUp" => Some((0, -1)),
        "ArrowDown" => Some((0, 1)),
        _ => None,
    }
}
