//! Sentences to begin with.

use leptos::prelude::*;

use crate::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    state::ViewState,
};

/// The chosen model's examples: a click runs one.
#[component]
pub fn Examples() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let state = ViewState::expect();
    let model = state.select(|view| view.model);
    let chip = move |text: &'static str| {
        view! {
            <button
                type="button"
                class="chip"
                data-testid="example"
                on:click=move |_| {
                    state.set_text(text.to_owned());
                    live.run();
                }
            >
                {text}
            </button>
        }
    };
    view! {
        <div class="examples" role="group" aria-label=move || t_string!(i18n, shell.examples)>
            <span class="examples-name" aria-hidden="true">{t!(i18n, shell.examples)}</span>
            {move || model.get().examples().iter().map(|&text| chip(text)).collect_view()}
        </div>
    }
}
