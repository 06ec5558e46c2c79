//! Keys that act wherever the focus is, unless what has the focus uses them itself.

use attention_protocol::OrLogged;
use leptos::ev::KeyboardEvent;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// Elements that letters are typed into, or that letters choose in.
const TAKES_LETTERS: &str =
    "input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable]";

/// Elements that have a use of their own for arrow keys, Page Up, Page Down, Home, End and Escape.
const TAKES_ARROWS: &str =
    "input, textarea, select, [role=tab], [role=application], [role=slider], [contenteditable]";
/// Elements that scroll sideways by themselves.
const SCROLLS: &str = "[role=region]";
/// Elements that space presses, or that it is typed into.
const TAKES_SPACE: &str =
    "input, textarea, select, button, a, summary, [role=tab], [role=button], [contenteditable]";
/// Elements that Escape closes.
const TAKES_ESCAPE: &str = ".popover";
/// Dialogs over the page, which takes no key meanwhile.
const COVERS_PAGE: &str = "dialog";

/// Returns true if a key has no use yet where it was pressed, so that the page can use it. An element wider than its
/// room scrolls by arrows while it has the focus.
pub fn is_free(event: &KeyboardEvent) -> bool {
    let is_taken = match event.key().as_str() {
        " " => is_within(event, TAKES_SPACE),
        "Escape" => is_within(event, TAKES_ARROWS) || is_within(event, TAKES_ESCAPE),
        _ => is_within(event, TAKES_ARROWS) || is_wider_than_its_room(event),
    };
    !is_taken && !is_within(event, COVERS_PAGE) && !has_modifier(event)
}

fn is_wider_than_its_room(event: &KeyboardEvent) -> bool {
    let region = closest(event, SCROLLS);
    region.is_some_and(|region| region.scroll_width() > region.client_width())
}

/// Returns true if a key is a letter or a sign for the page as a whole: not a shortcut of the browser's, not typed into
/// anything, not held down, and of no use where it was pressed.
pub fn is_for_page(event: &KeyboardEvent, key: &str) -> bool {
    let is_key = event.key().eq_ignore_ascii_case(key);
    let is_taken = event.default_prevented()
        || is_within(event, TAKES_LETTERS)
        || is_within(event, COVERS_PAGE);
    is_key && !event.repeat() && !has_modifier(event) && !is_taken
}

/// Returns true if a key is one of the browser's or the system's shortcuts; Shift alone makes none.
pub fn has_modifier(event: &KeyboardEvent) -> bool {
    event.ctrl_key() || event.alt_key() || event.meta_key()
}

/// Returns true if a key was pressed in an element that a selector finds, or below one.
pub fn is_within(event: &KeyboardEvent, selector: &str) -> bool {
    closest(event, selector).is_some()
}

/// The element that a selector finds in which a key was pressed, the innermost of several.
fn closest(event: &KeyboardEvent, selector: &str) -> Option<Element> {
    let target: Element = event.target()?.dyn_into().ok()?;
    target
        .closest(selector)
        .or_logged("finding the element of a key")
        .flatten()
}
