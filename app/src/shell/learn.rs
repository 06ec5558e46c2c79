//! The "Learn" tab, whose code may have to be downloaded first.

use leptos::prelude::*;

use crate::{
    chunk::{LearnChunk, Stage},
    i18n::{t, use_i18n},
};

/// The chapters, or that they are on their way, or that they cannot be had.
#[component]
pub fn LearnTab() -> impl IntoView {
    let i18n = use_i18n();
    let chunk = LearnChunk::expect();
    chunk.fetch();
    move || match chunk.stage() {
        Stage::Away | Stage::Loading => view! {
            <p class="hint" role="status" data-testid="learn-loading">
                {t!(i18n, shell.learn_loading)}
            </p>
        }
        .into_any(),
        Stage::Missing => view! { <Missing chunk /> }.into_any(),
        Stage::Here(show) => show(),
    }
}

#[component]
fn Missing(chunk: LearnChunk) -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <div class="notice problem" role="alert" data-testid="learn-missing">
            <p class="notice-text">{t!(i18n, shell.learn_missing)}</p>
            <button
                type="button"
                class="plain-button"
                data-testid="learn-retry"
                on:click=move |_| chunk.fetch()
            >
                {t!(i18n, engine.retry)}
            </button>
        </div>
    }
}
