//! A plane with something on it that is dragged, or moved by keys.

use attention_figures::plane::Plane;
use attention_protocol::OrLogged;
use leptos::{
    ev::{KeyboardEvent, PointerEvent},
    prelude::*,
};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// Shows a plane with a point that can be dragged.
#[component]
pub fn PlaneField(
    /// The `data-testid` of the element.
    test_id: &'static str,
    /// The accessible name of the plane, with its contents in words.
    #[prop(into)]
    label: Signal<String>,
    /// The plane itself, to find the point under the pointer.
    #[prop(into)]
    plane: Signal<Plane>,
    #[prop(into)] drawing: Signal<String>,
    /// Called with the point under a pointer that drags.
    drag: impl Fn([f32; 2]) + Copy + 'static,
    /// Called with a key; says whether it has a meaning here.
    key: impl Fn(&KeyboardEvent) -> bool + 'static,
) -> impl IntoView {
    let dragging = RwSignal::new(false);
    let follow = move |event: &PointerEvent| {
        if let Some((x, y)) = fractions(event) {
            drag(plane.get_untracked().point_at(x, y));
        }
    };
    view! {
        <div
            class="plane-field"
            role="application"
            tabindex="0"
            data-testid=test_id
            aria-label=label
            on:pointerdown=move |event| {
                dragging.set(true);
                capture(&event);
                follow(&event);
            }
            on:pointermove=move |event| {
                if dragging.get_untracked() {
                    follow(&event);
                }
            }
            on:pointerup=move |_| dragging.set(false)
            on:pointercancel=move |_| dragging.set(false)
            on:keydown=move |event| {
                if key(&event) {
                    event.prevent_default();
                }
            }
            inner_html=drawing
        ></div>
    }
}

/// Returns the pointer's position in the plane, as fractions of its width and height.
fn fractions(event: &PointerEvent) -> Option<(f64, f64)> {
    let field: HtmlElement = event.current_target()?.dyn_into().ok()?;
    let bounds = field.get_bounding_client_rect();
    let inside = (bounds.width() > 0.0 && bounds.height() > 0.0).then_some(bounds)?;
    Some((
        (f64::from(event.client_x()) - inside.left()) / inside.width(),
        (f64::from(event.client_y()) - inside.top()) / inside.height(),
    ))
}

/// Follows the pointer beyond the plane, too.
fn capture(event: &PointerEvent) {
    let field = event
        .current_target()
        .and_then(|field| field.dyn_into::<HtmlElement>().ok());
    if let Some(field) = field {
        field
            .set_pointer_capture(event.pointer_id())
            .or_logged("capturing the pointer");
    }
}
