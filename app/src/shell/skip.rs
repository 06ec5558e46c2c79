//! Links past the header for keyboard users: to the sentence, and to the contents of the page.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::{input::TEXT_BOX, tabs::TAB_PANEL};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    state::{Tab, ViewState},
};
use attention_protocol::OrLogged;

/// The identifiers of the contents below the sentence: the large map, or the element in its place.
const CONTENTS: [&str; 3] = ["map-field", "figure-panel", TAB_PANEL];

/// The first elements in the Tab order, visible while they have the focus. They are buttons, since the fragment of the
/// address is the view.
#[component]
pub fn SkipLinks() -> impl IntoView {
    let i18n = use_i18n();
    let tab = ViewState::expect().select(|view| view.tab);
    view! {
        <nav class="skip-links" aria-label=move || t_string!(i18n, shell.skip)>
            <Show when=move || tab.get() == Tab::Explore>
                <button
                    type="button"
                    class="plain-button skip-link"
                    data-testid="skip-to-text"
                    on:click=move |_| focus_first(&[TEXT_BOX])
                >
                    {t!(i18n, shell.skip_to_text)}
                </button>
            </Show>
            <button
                type="button"
                class="plain-button skip-link"
                data-testid="skip-to-contents"
                on:click=move |_| focus_first(&CONTENTS)
            >
                {move || match tab.get() {
                    Tab::Explore => t_string!(i18n, shell.skip_to_figure),
                    Tab::Learn => t_string!(i18n, shell.skip_to_chapter),
                    Tab::Teach => t_string!(i18n, shell.skip_to_routes),
                }}
            </button>
        </nav>
    }
}

/// Moves the focus to the first existing element among the identifiers.
fn focus_first(ids: &[&str]) {
    let mut found = ids.iter().filter_map(|id| document().get_element_by_id(id));
    if let Some(Ok(element)) = found.next().map(JsCast::dyn_into::<HtmlElement>) {
        element.scroll_into_view();
        element.focus().or_logged("moving the focus");
    }
}
