//! The other text: where the visitor types it.

use crate::compare::parameters::Compare;
use attention_core::{
    i18n::{t, t_string, use_i18n},
    state::ViewState,
};
use leptos::{ev::SubmitEvent, html, prelude::*};

use super::{context::Comparison, other::left_out};

/// The box, which holds the text on screen as long as nothing else was typed.
#[component]
pub fn OtherText() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let comparison = Comparison::expect();
    let asked = state.select(|view| view.chapters.of::<Compare>().text.clone());
    let own = Memo::new(move |_| comparison.shown.get().map(|job| job.reads));
    let text = Memo::new(move |_| asked.get().or_else(|| own.get()).unwrap_or_default());
    let typed = NodeRef::<html::Input>::new();
    let read = move |event: SubmitEvent| {
        event.prevent_default();
        if let Some(input) = typed.get_untracked() {
            state.update_chapters(|chapters| {
                chapters.of_mut::<Compare>().text = Some(input.value());
                chapters.of_mut::<Compare>().leave_axes();
            });
        }
    };
    // Where the second engine is asked for nothing, both texts are the same.
    let is_same = Memo::new(move |_| {
        comparison
            .second
            .is_none_or(|second| second.wanted().is_none())
    });
    let ignored = Memo::new(move |_| {
        let count = left_out(&comparison.shown.get()?, &asked.get()?);
        (count > 0).then_some(count)
    });
    view! {
        <form class="compare-text" on:submit=read>
            <label for="compare-text">{t!(i18n, compare.text)}</label>
            <input
                class="text-box"
                id="compare-text"
                data-testid="compare-text"
                type="text"
                autocomplete="off"
                spellcheck="false"
                node_ref=typed
                prop:value=text
            />
            <button type="submit" class="plain-button" data-testid="compare-read">
                {t!(i18n, compare.read)}
            </button>
        </form>
        <Show when=move || is_same.get()>
            <p class="hint" role="status" data-testid="compare-same-text">{t!(i18n, compare.same_text)}</p>
        </Show>
        <Show when=move || ignored.get().is_some()>
            <p class="hint" data-testid="compare-first-sentence">
                {move || t_string!(i18n, compare.first_sentence, count = ignored.get().unwrap_or_default())}
            </p>
        </Show>
    }
}
