//! The form for a target of the visitor's own.

use crate::forcing::parameters::Forcing;
use leptos::{ev::SubmitEvent, html, prelude::*};

use attention_core::{
    i18n::{t, use_i18n},
    state::ViewState,
};

/// The box, which holds what the model wrote as long as nothing else was typed.
#[component]
pub fn TargetForm(
    /// The text that the model wrote.
    own: Memo<Option<String>>,
) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let target = state.select(|view| view.chapters.of::<Forcing>().target.clone());
    let text = Memo::new(move |_| target.get().or_else(|| own.get()).unwrap_or_default());
    let typed = NodeRef::<html::Input>::new();
    let set = move |target| {
        state.update_chapters(|chapters| chapters.of_mut::<Forcing>().target = target)
    };
    let read = move |event: SubmitEvent| {
        event.prevent_default();
        if let Some(input) = typed.get_untracked() {
            set(Some(input.value()));
        }
    };
    view! {
        <form class="target-form" on:submit=read>
            <label for="forced-target">{t!(i18n, forcing.target)}</label>
            <input
                class="text-box"
                id="forced-target"
                data-testid="forced-target"
                type="text"
                autocomplete="off"
                spellcheck="false"
                node_ref=typed
                prop:value=text
            />
            <button type="submit" class="plain-button" data-testid="read-target">
                {t!(i18n, forcing.read)}
            </button>
            <Show when=move || target.with(Option::is_some)>
                <button
                    type="button"
                    class="link-button"
                    data-testid="own-target"
                    on:click=move |_| set(None)
                >
                    {t!(i18n, forcing.take_own)}
                </button>
            </Show>
        </form>
    }
}
