//! Appearance of the page: the theme, light or dark, as chosen or as the system prefers and always light on paper; and
//! the size of type.

use attention_figures::Theme as Drawn;
use attention_protocol::OrLogged;
use leptos::{ev, prelude::*};
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::MediaQueryList;

use crate::state::{Theme, ViewState};

/// The factor by which large type exceeds the usual size; `style.css` has the same number.
const ENLARGED: f64 = 1.35;

/// The media query for a window in which map and inspector fill one screen and scroll separately; the style sheets have
/// the same one.
const ONE_SCREEN: &str = "(min-width: 1100px) and (min-height: 680px)";

/// The theme in effect, for figures that paint with their own colours, and the size of type, for figures that place
/// text themselves. A context.
#[derive(Clone, Copy)]
pub struct Appearance {
    theme: Memo<Drawn>,
    large: Memo<bool>,
    printing: ReadSignal<bool>,
    roomy: ReadSignal<bool>,
    fingers: ReadSignal<bool>,
}

impl Appearance {
    /// Follows the view and the system, and provides the context.
    pub fn provide(state: ViewState) -> Self {
        let system = matching("(prefers-color-scheme: dark)");
        let printing = matching("print");
        let chosen = state.select(|view| view.theme);
        let theme = Memo::new(move |_| match chosen.get() {
            _ if printing.get() => Drawn::Light,
            Theme::Light => Drawn::Light,
            Theme::Dark => Drawn::Dark,
            Theme::Auto if system.get() => Drawn::Dark,
            Theme::Auto => Drawn::Light,
        });
        // An effect because the style sheet lies outside the reactive graph.
        Effect::new(move |_| {
            let name = match theme.get() {
                Drawn::Light => "light",
                Drawn::Dark => "dark",
            };
            set_on_page("data-theme", name);
        });
        let large = state.select(|view| view.large || view.class.present);
        // As that one.
        Effect::new(move |_| {
            let name = if large.get() { "large" } else { "usual" };
            set_on_page("data-type", name);
        });
        let appearance = Appearance {
            theme,
            large,
            printing,
            roomy: matching(ONE_SCREEN),
            fingers: matching("(pointer: coarse)"),
        };
        provide_context(appearance);
        appearance
    }

    /// Returns the appearance that a component above provided.
    ///
    /// # Panics
    /// Outside the page's component tree.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Returns the theme in effect; subscribes to its change.
    pub fn get(self) -> Drawn {
        self.theme.get()
    }

    /// Returns the factor by which type exceeds the usual size; subscribes to its change.
    pub fn enlargement(self) -> f64 {
        if self.large.get() { ENLARGED } else { 1.0 }
    }

    /// True if map and inspector fill one screen, false if the page scrolls; subscribes to its change.
    pub fn fills_screen(self) -> bool {
        self.roomy.get() && !self.large.get()
    }

    /// True if the pointer is a finger; subscribes to its change.
    pub fn has_fingers(self) -> bool {
        self.fingers.get()
    }

    /// True while the page is being printed; no observer reports the printed page's width. Subscribes to the change.
    pub fn is_printing(self) -> bool {
        self.printing.get()
    }
}

fn set_on_page(attribute: &str, value: &str) {
    if let Some(root) = document().document_element() {
        root.set_attribute(attribute, value)
            .or_logged("setting an attribute of the page");
    }
}

/// Returns a signal that is true while a media query matches.
fn matching(query: &str) -> ReadSignal<bool> {
    let query: Option<MediaQueryList> = window()
        .match_media(query)
        .or_logged("asking for a media query")
        .flatten();
    let (matches, set_matches) = signal(query.as_ref().is_some_and(MediaQueryList::matches));
    if let Some(query) = query {
        let on_change = Closure::<dyn Fn(ev::Event)>::new({
            let query = query.clone();
            move |_| {
                set_matches.try_set(query.matches());
            }
        });
        query.set_onchange(Some(on_change.as_ref().unchecked_ref()));
        // It may change as long as the page is open.
        on_change.forget();
    }
    matches
}
