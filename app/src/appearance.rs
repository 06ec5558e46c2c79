//! Light or dark, as chosen or as the system prefers.

use attention_figures::Theme as Drawn;
use leptos::{ev, prelude::*};
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::MediaQueryList;

use crate::state::{Theme, ViewState};

/// The theme in effect, for figures that are painted in colours of their own. A context.
#[derive(Clone, Copy)]
pub struct Appearance(Memo<Drawn>);

impl Appearance {
    /// Follows the view and the system, and provides the result.
    pub fn provide(state: ViewState) -> Self {
        let system = system_is_dark();
        let theme = Memo::new(move |_| match state.select(|view| view.theme).get() {
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
            if let Some(root) = document().document_element() {
                // Fails only for an invalid attribute name.
                let _ = root.set_attribute("data-theme", name);
            }
        });
        let appearance = Appearance(theme);
        provide_context(appearance);
        appearance
    }

    /// The appearance that a component above provided.
    ///
    /// # Panics
    /// Outside the page's component tree.
    pub fn expect() -> Self {
        expect_context()
    }

    /// The theme in effect; subscribes to its change.
    pub fn get(self) -> Drawn {
        self.0.get()
    }
}

fn system_is_dark() -> ReadSignal<bool> {
    let query: Option<MediaQueryList> = window()
        .match_media("(prefers-color-scheme: dark)")
        .ok()
        .flatten();
    let (dark, set_dark) = signal(query.as_ref().is_some_and(MediaQueryList::matches));
    if let Some(query) = query {
        let on_change = Closure::<dyn Fn(ev::Event)>::new({
            let query = query.clone();
            move |_| {
                set_dark.try_set(query.matches());
            }
        });
        query.set_onchange(Some(on_change.as_ref().unchecked_ref()));
        // The system's preference may change as long as the page is open.
        on_change.forget();
    }
    dark
}
