//! A part of the page whose code may have to be downloaded first.

use leptos::prelude::*;

use crate::{
    i18n::{t, use_i18n},
    tabs::{Chunks, Piece, Stage},
};

/// What the piece shows, or that it is being downloaded, or that the download failed.
#[component]
pub fn Loaded(piece: Piece) -> impl IntoView {
    let i18n = use_i18n();
    let chunks = Chunks::expect();
    chunks.fetch(piece);
    move || match chunks.stage(piece) {
        Stage::Away | Stage::Loading => view! {
            <p class="hint" role="status" data-testid="tab-loading">
                {t!(i18n, shell.tab_loading)}
            </p>
        }
        .into_any(),
        Stage::Missing => view! { <Missing piece /> }.into_any(),
        Stage::Here(show) => show(),
    }
}

#[component]
fn Missing(piece: Piece) -> impl IntoView {
    let i18n = use_i18n();
    let chunks = Chunks::expect();
    view! {
        <div class="notice problem" role="alert" data-testid="tab-missing">
            <p class="notice-text">{t!(i18n, shell.tab_missing)}</p>
            <button
                type="button"
                class="plain-button"
                data-testid="tab-retry"
                on:click=move |_| chunks.fetch(piece)
            >
                {t!(i18n, engine.retry)}
            </button>
        </div>
    }
}
