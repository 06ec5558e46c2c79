//! A picture whose cells are chosen or drawn, by pointer and by keys.

use leptos::{
    ev::{KeyboardEvent, PointerEvent},
    prelude::*,
};
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::stroke::cell_at;
use attention_core::widgets::pointer_in;

/// What happens to a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// A pointer went down on it.
    Down(usize),
    /// The pointer, still down, came to it.
    Along(usize),
}

/// The picture. It listens to a pointer that is pressed and to keys while it has the focus.
#[component]
pub fn PictureField(
    /// For tests.
    test_id: &'static str,
    /// What it is and what is chosen in it.
    #[prop(into)]
    label: Signal<String>,
    /// The drawing.
    #[prop(into)]
    drawing: Signal<String>,
    /// Whether a finger that moves draws, and does not scroll the page.
    #[prop(into)]
    holds: Signal<bool>,
    /// Told of a pointer.
    touch: impl Fn(Touch) + Copy + 'static,
    /// Told of a key; says whether it has a meaning here.
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

/// Follows the pointer beyond the picture, too.
fn capture(event: &PointerEvent) {
    let field = event
        .current_target()
        .and_then(|field| field.dyn_into::<Element>().ok());
    if let Some(field) = field {
        // Refused for a pointer that is gone already; then there is nothing to follow.
        let _ = field.set_pointer_capture(event.pointer_id());
    }
}

/// Columns and rows that an arrow key goes.
pub fn arrow(event: &KeyboardEvent) -> Option<(isize, isize)> {
    match event.key().as_str() {
        "ArrowLeft" => Some((-1, 0)),
        "ArrowRight" => Some((1, 0)),
        "ArrowUp" => Some((0, -1)),
        "ArrowDown" => Some((0, 1)),
        _ => None,
    }
}
