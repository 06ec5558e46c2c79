//! Run and cancel.

use leptos::prelude::*;

use crate::{
    engine::Live,
    i18n::{t, use_i18n},
};

/// The button that runs, and the one that stops it.
#[component]
pub fn RunControls() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let running = live.select(|engine| engine.running.is_some());
    view! {
        <div class="run-controls">
            <Show when=move || running.get()>
                <button
                    type="button"
                    class="plain-button"
                    data-testid="cancel"
                    on:click=move |_| live.cancel()
                >
                    {t!(i18n, shell.cancel)}
                </button>
            </Show>
            <button
                type="button"
                class="main-button"
                data-testid="run"
                on:click=move |_| live.run()
            >
                {t!(i18n, shell.run)}
            </button>
        </div>
    }
}
