//! Weights that are replaced in whole heads, in words and in the list of what is changed.

use leptos::prelude::*;

use crate::{
    engine::Live,
    i18n::{t_string, use_i18n},
    names::{head_name, kind_name},
    state::{NewWeights, Reweighed, Scope, ViewState},
};

/// Describes in words the change of weights and the heads that it changes.
pub fn reweighed_words() -> impl Fn(Reweighed) -> String + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    let (head_name, kind_name) = (head_name(), kind_name());
    move |reweighed| {
        let place = match reweighed.scope {
            Scope::Head(head) => head_name(head.attention, head.head),
            Scope::Layer(attention) => t_string!(
                i18n,
                heads.block,
                kind = kind_name(attention.kind),
                layer = attention.layer + 1
            ),
            Scope::Everywhere => t_string!(i18n, edits.all_heads).to_owned(),
        };
        match reweighed.weights {
            NewWeights::Uniform => t_string!(i18n, edits.uniform, place = place),
            NewWeights::Shuffled { seed } => {
                t_string!(i18n, edits.permuted, place = place, seed = seed)
            }
        }
    }
}

/// The chip in the list of what is changed, with the way back; nothing where no weights are replaced.
#[component]
pub fn ReweighedChip() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let reweighed = ViewState::expect().select(|view| view.reweighed);
    let words = reweighed_words();
    let words = move || reweighed.get().map(words).unwrap_or_default();
    let is_idle = Memo::new(move |_| {
        let (reweighed, trace) = (reweighed.get(), live.trace());
        let both = reweighed.zip(trace);
        both.is_some_and(|(reweighed, trace)| !reweighed.scope.is_in(&trace.meta.spec))
    });
    view! {
        <button
            type="button"
            class="chip edit-head"
            class:is-hidden=move || reweighed.read().is_none()
            class:is-idle=is_idle
            data-testid="reweighed"
            aria-label=move || t_string!(i18n, edits.remove, edit = words())
            title=move || is_idle.get().then(|| t_string!(i18n, edits.idle_hint))
            on:click=move |_| live.reweigh(None)
        >
            {words}
            <span class="hint" class:is-hidden=move || !is_idle.get()>
                " · " {move || t_string!(i18n, edits.idle)}
            </span>
            <span aria-hidden="true">" ✕"</span>
        </button>
    }
}
