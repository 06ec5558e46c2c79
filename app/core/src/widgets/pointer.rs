//! The position of a pointer and the choice that its click makes.

use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, MouseEvent};

/// The effect of a click on a choice that may hold several things, as everywhere on the visitor's system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// Without a modifier: choose this alone.
    Alone,
    /// With Ctrl or ⌘: choose this also, or take it out.
    Also,
    /// With Shift: choose all up to this.
    UpTo,
}

impl Pick {
    /// That of a click.
    pub fn of(event: &MouseEvent) -> Self {
        Pick::with(event.shift_key(), event.ctrl_key() || event.meta_key())
    }

    /// That of a key that clicks.
    pub fn of_key(event: &KeyboardEvent) -> Self {
        Pick::with(event.shift_key(), event.ctrl_key() || event.meta_key())
    }

    fn with(shift: bool, control: bool) -> Self {
        match (shift, control) {
            (true, _) => Pick::UpTo,
            (false, true) => Pick::Also,
            (false, false) => Pick::Alone,
        }
    }
}

/// Returns a pointer's position in the element that listens to it: pixels from the left and from above, and the
/// element's width and height.
pub fn pointer_in(event: &MouseEvent) -> Option<[f64; 4]> {
    let element: Element = event.current_target()?.dyn_into().ok()?;
    let bounds = element.get_bounding_client_rect();
    Some([
        f64::from(event.client_x()) - bounds.left(),
        f64::from(event.client_y()) - bounds.top(),
        bounds.width(),
        bounds.height(),
    ])
}
