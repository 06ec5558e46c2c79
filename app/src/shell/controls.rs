//! The buttons that run and cancel.

use leptos::prelude::*;

use attention_core::{
    engine::Live,
    i18n::{t, use_i18n},
};

/// The button that runs the typed text.
#[component]
pub fn Run() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    view! {
        <button
            type="button"
            class="main-button"
            data-testid="run"
            on:click=move |_| live.run()
        >
            {t!(i18n, shell.run)}
        </button>
    }
}

/// The button that stops the current run, if there is one.
#[component]
pub fn Cancel() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let running = live.select(|engine| engine.running.is_some());
    view! {
        <Show when=move || running.get()>
            <button
                type="button"
                class="plain-button"
                data-testid="cancel"
                // It stands in the answer's line, which is read out when it changes.
                aria-live="off"
                on:click=move |_| live.cancel()
            >
                {t!(i18n, shell.cancel)}
            </button>
        </Show>
    }
}
