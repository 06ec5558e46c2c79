//! The switch of the heads in the figure, and what a head that is off gives instead.

use leptos::prelude::*;

use crate::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    state::{Ablation, HeadChoice, ViewState},
    widgets::Segmented,
};

/// Switches heads off, or on again where all of them are off.
#[component]
pub fn SwitchOff(#[prop(into)] heads: Signal<Vec<HeadChoice>>) -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let edits = ViewState::expect().select(|view| view.edits.clone());
    let are_off = Memo::new(move |_| edits.read().are_off(&heads.get()));
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
                on:change=move |_| live.edit(|edits| edits.toggle_heads(&heads.get_untracked()))
            />
            <span>{words}</span>
        </label>
    }
}

/// The choice between 0 and the mean as output of heads that are off; nothing where no head is off and none is tried.
#[component]
pub fn OffBy() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let by = state.select(|view| view.edits.by);
    let is_idle = state.select(|view| {
        let is_off = !view.edits.heads_off().is_empty();
        !is_off && !view.importance && view.game.is_none()
    });
    let options = Signal::derive(move || {
        vec![
            (Ablation::Zero, t_string!(i18n, edits.by_zero).to_owned()),
            (Ablation::Mean, t_string!(i18n, edits.by_mean).to_owned()),
        ]
    });
    view! {
        <span
            class="off-by"
            class:is-hidden=move || is_idle.get()
            data-testid="off-by"
            title=move || t_string!(i18n, edits.by_hint)
        >
            <span class="hint" aria-hidden="true">{t!(i18n, edits.by_short)}</span>
            <Segmented
                label=Signal::derive(move || t_string!(i18n, edits.by).to_owned())
                options
                value=by
                choose=move |by| live.edit(|edits| edits.by = by)
            />
        </span>
    }
}
