//! A tab's content, whose code may have to be downloaded first.

use leptos::prelude::*;

use crate::{
    i18n::{t, use_i18n},
    state::Tab,
    tabs::{Chunks, Stage},
};

/// What the tab shows, or that it is being downloaded, or that the download failed.
#[component]
pub fn TabPanel(tab: Tab) -> impl IntoView {
    let i18n = use_i18n();
    let chunks = Chunks::expect();
    chunks.fetch(tab);
    move || match chunks.stage(tab) {
        Stage::Away | Stage::Loading => view! {
            <p class="hint" role="status" data-testid="tab-loading">
                {t!(i18n, shell.tab_loading)}
            </p>
        }
        .into_any(),
        Stage::Missing => view! { <Missing tab /> }.into_any(),
        Stage::Here(show) => show(),
    }
}

#[component]
fn Missing(tab: Tab) -> impl IntoView {
    let i18n = use_i18n();
    let chunks = Chunks::expect();
    view! {
        <div class="notice problem" role="alert" data-testid="tab-missing">
            <p class="notice-text">{t!(i18n, shell.tab_missing)}</p>
            <button
                type="button"
                class="plain-button"
                data-testid="tab-retry"
                on:click=move |_| chunks.fetch(tab)
            >
                {t!(i18n, engine.retry)}
            </button>
        </div>
    }
}
