//! Pointers, the wheel and keys on the map.

use leptos::{
    ev::{KeyboardEvent, PointerEvent, WheelEvent},
    prelude::*,
};

use super::context::MapContext;
use attention_core::widgets::pointer_in;

/// The distance that an arrow key moves the map, in pixels.
const KEY_PAN: f64 = 48.0;
/// The exponent of the zoom factor per pixel of the wheel.
const WHEEL_ZOOM: f64 = 0.002;

/// Handles a pointer that goes down.
pub fn press(context: MapContext, event: &PointerEvent) {
    if let Some((x, y)) = pointer_in(event).map(|at| context.in_room(at)) {
        context.with_gesture(|gesture, _| {
            gesture.press(event.pointer_id(), x, y);
            None
        });
    }
}

/// Handles a pointer that moves, which drags the map if it is down.
pub fn drag(context: MapContext, event: &PointerEvent) {
    if let Some((x, y)) = pointer_in(event).map(|at| context.in_room(at)) {
        context.with_gesture(|gesture, camera| gesture.drag(event.pointer_id(), x, y, camera));
    }
}

/// Handles a pointer that goes up or away.
pub fn release(context: MapContext, event: &PointerEvent) {
    context.with_gesture(|gesture, _| {
        gesture.release(event.pointer_id());
        None
    });
}

/// Handles the wheel, which zooms unless it scrolls the page or the map.
pub fn on_wheel(context: MapContext, event: &WheelEvent) {
    // The heights are read last, since the page may have to be laid out for them.
    let scrolls = || {
        document()
            .document_element()
            .is_some_and(|page| page.scroll_height() > page.client_height() + 1)
    };
    let is_meant = event.ctrl_key()
        || event.meta_key()
        || context.is_close_untracked()
        || !(context.scrolls() || scrolls());
    if !is_meant {
        return;
    }
    event.prevent_default();
    let about = pointer_in(event).map(|at| context.in_room(at));
    context.zoom((-event.delta_y() * WHEEL_ZOOM).exp(), about);
}

/// Handles a key that zooms, moves, or displays the whole map.
pub fn on_key(context: MapContext, event: &KeyboardEvent) {
    if event.ctrl_key() || event.alt_key() || event.meta_key() {
        return;
    }
    // Arrows on a head choose its neighbour.
    let is_own = event.target() == event.current_target();
    match event.key().as_str() {
        "+" | "=" => context.zoom_step(true),
        "-" => context.zoom_step(false),
        "0" | "Escape" if context.is_close_untracked() => context.show_all(),
        "Escape" if untrack(|| context.heads.chosen_heads()).len() > 1 => {
            context.heads.lock_one_head();
        }
        "ArrowLeft" if is_own => context.pan(KEY_PAN, 0.0),
        "ArrowRight" if is_own => context.pan(-KEY_PAN, 0.0),
        "ArrowUp" if is_own => context.pan(0.0, KEY_PAN),
        "ArrowDown" if is_own => context.pan(0.0, -KEY_PAN),
        _ => return,
    }
    event.prevent_default();
    event.stop_propagation();
}
