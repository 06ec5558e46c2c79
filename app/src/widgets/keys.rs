//! Keys that act wherever the focus is, unless what has the focus uses them itself.

use leptos::ev::KeyboardEvent;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// Elements that letters are typed into, or that letters choose in.
const TAKES_LETTERS: &str =
    "input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable]";

/// Whether a key is a letter or a sign for the page as a whole: not a shortcut of the browser's, not typed into
/// anything, and not held down.
pub fn is_for_page(event: &KeyboardEvent, key: &str) -> bool {
    let is_key = event.key().eq_ignore_ascii_case(key);
    is_key && !event.repeat() && !has_modifier(event) && !is_within(event, TAKES_LETTERS)
}

/// Whether a key is one of the browser's or the system's shortcuts; Shift alone makes none.
pub fn has_modifier(event: &KeyboardEvent) -> bool {
    event.ctrl_key() || event.alt_key() || event.meta_key()
}

/// Whether a key was pressed in an element that a selector finds, or below one.
pub fn is_within(event: &KeyboardEvent, selector: &str) -> bool {
    closest(event, selector).is_some()
}

/// The element that a selector finds in which a key was pressed, the innermost of several.
pub fn closest(event: &KeyboardEvent, selector: &str) -> Option<Element> {
    let target: Element = event.target()?.dyn_into().ok()?;
    target.closest(selector).ok().flatten()
}
