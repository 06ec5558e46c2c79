//! The definition of the term that was tapped last.

use attention_protocol::OrLogged;
use leptos::{ev, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::{Element, EventTarget};

use super::{
    place::{Place, Rect, Window},
    term::Term,
};
use crate::{i18n::use_i18n, state::AddressValue};

/// The attribute that marks an element as a term and names the term.
const MARK: &str = "data-term";

/// A term and where its definition stands.
#[derive(Clone, Copy, PartialEq)]
struct Open {
    term: Term,
    place: Place,
}

/// The definition, once for the page. A second tap, Escape, or turning to anything else closes it; the focus stays at
/// the term, and the definition is announced.
#[component]
pub fn GlossaryTip() -> impl IntoView {
    let i18n = use_i18n();
    let open = RwSignal::new(None);
    let clicked = window_event_listener(ev::click, move |event| {
        let before = open.get_untracked();
        let tapped = event.target().and_then(tapped);
        let now = tapped.filter(|tapped| Some(*tapped) != before);
        if now != before {
            open.set(now);
        }
    });
    let focused = window_event_listener(ev::focusin, move |event| {
        let tapped = event.target().and_then(tapped);
        if open.get_untracked() != tapped {
            open.set(None);
        }
    });
    let pressed = window_event_listener(ev::keydown, move |event| {
        if event.key() == "Escape" && open.get_untracked().is_some() {
            open.set(None);
        }
    });
    on_cleanup(move || {
        clicked.remove();
        focused.remove();
        pressed.remove();
    });
    let tip = move |Open { term, place }| {
        view! {
            <div
                class="term-tip"
                class:is-above=place.is_above
                data-testid="term-tip"
                style=format!("left: {:.1}px; top: {:.1}px", place.left, place.top)
            >
                <p class="term-name">{move || term.name(i18n)}</p>
                <p>{move || term.text(i18n)}</p>
            </div>
        }
    };
    view! { <div role="status">{move || open.get().map(tip)}</div> }
}

/// The term that an event happened to.
fn tapped(target: EventTarget) -> Option<Open> {
    let element: Element = target.dyn_into().ok()?;
    let words = element
        .closest(&format!("[{MARK}]"))
        .or_logged("finding a term")??;
    let term = Term::from_address_value(&words.get_attribute(MARK)?)?;
    let rect = words.get_bounding_client_rect();
    let words = Rect {
        left: rect.left(),
        top: rect.top(),
        bottom: rect.bottom(),
    };
    Some(Open {
        term,
        place: Place::at(words, window_in_sight()?),
    })
}

fn window_in_sight() -> Option<Window> {
    let root = document().document_element()?;
    let window = window();
    Some(Window {
        width: root.client_width().into(),
        height: root.client_height().into(),
        scrolled: (
            window.scroll_x().or_logged("reading the scroll position")?,
            window.scroll_y().or_logged("reading the scroll position")?,
        ),
    })
}
