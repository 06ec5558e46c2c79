//! Another build of the page was published while this one was open.

use leptos::prelude::*;

use crate::{
    deployment::was_replaced,
    i18n::{t, use_i18n},
};

/// Says so, with a button that fetches it; shows nothing otherwise.
#[component]
pub fn Replaced() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <Show when=was_replaced>
            <div class="notice replaced" role="alert" data-testid="replaced">
                <p class="notice-text">{t!(i18n, shell.replaced)}</p>
                <button
                    type="button"
                    class="plain-button"
                    data-testid="reload"
                    on:click=|_| reload()
                >
                    {t!(i18n, shell.reload)}
                </button>
            </div>
        </Show>
    }
}

fn reload() {
    // A browser that refuses has its own button for it.
    let _ = window().location().reload();
}
