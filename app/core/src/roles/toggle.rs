//! The switch that shows roles on the map, the chips there, and the list of roles. Their code is in a chunk that the
//! first picture does not need.

use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::note::{Note, show_chips};
use crate::{
    i18n::{t, t_string, use_i18n},
    state::ViewState,
    widgets::Later,
};

/// A button that shows or hides the heads' roles on the map.
#[component]
pub fn RolesToggle() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let is_on = state.select(|view| view.roles.on);
    view! {
        <button
            type="button"
            class="plain-button"
            data-testid="roles"
            aria-pressed=move || is_on.get().to_string()
            title=move || t_string!(i18n, roles.toggle_hint)
            on:click=move |_| state.visit(|view| view.roles.on = !view.roles.on)
        >
            {t!(i18n, roles.show_on_map)}
        </button>
    }
}

/// The meaning of the chips, the choice of roles, and all heads in order; empty while roles are hidden.
#[component]
pub fn RolesNote() -> impl IntoView {
    let is_on = ViewState::expect().select(|view| view.roles.on);
    view! { <Later load=roles_note when=is_on /> }
}

/// Shows the roles of heads on the map while the view asks for them; draws nothing itself.
#[component]
pub fn RolesOnMap() -> impl IntoView {
    let is_on = ViewState::expect().select(|view| view.roles.on);
    view! { <Later load=chips when=is_on /> }
}

#[wasm_split(views, fallible)]
fn chips() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| {
        show_chips();
        ().into_any()
    })
}

#[wasm_split(views, fallible)]
fn roles_note() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| view! { <Note /> }.into_any())
}
