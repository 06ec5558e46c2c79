//! The switch of the heads in the figure.

use leptos::prelude::*;

use crate::{
    engine::Live,
    i18n::{t_string, use_i18n},
    state::{HeadChoice, ViewState},
};

/// Switches heads off, or on again where all of them are off.
#[component]
pub fn SwitchOff(
    /// Which.
    #[prop(into)]
    heads: Signal<Vec<HeadChoice>>,
) -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let off = ViewState::expect().select(|view| view.off.clone());
    let are_off = Memo::new(move |_| off.read().contains_all(&heads.get()));
    let words = move || match heads.get().len() {
        0 | 1 => t_string!(i18n, edits.switch_off).to_owned(),
        count => t_string!(i18n, edits.switch_several_off, count = count),
    };
    view! {
        <label class="toggle">
            <input
                type="checkbox"
                role="switch"
                data-testid="switch-off"
                prop:checked=are_off
                on:change=move |_| live.toggle_heads(&heads.get_untracked())
            />
            <span>{words}</span>
        </label>
    }
}
