//! The link to the result on screen.

use leptos::prelude::*;

use attention_core::{
    engine::Live,
    i18n::{t_string, use_i18n},
    navigation::address_of,
    state::ViewState,
    widgets::CopyButton,
};

/// A button that copies a link to the result on screen. The link does not contain a typed text that did not run.
#[component]
pub fn CopyLink() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    view! {
        <CopyButton
            test_id="share"
            text=move || address_of(&live.shown_in(state.get_untracked()))
            name=Signal::derive(move || t_string!(i18n, take.link).to_owned())
            copied=Signal::derive(move || t_string!(i18n, shell.copied).to_owned())
            refused=Signal::derive(move || t_string!(i18n, shell.not_copied).to_owned())
        />
        <p class="hint">{move || t_string!(i18n, shell.share_hint)}</p>
    }
}
