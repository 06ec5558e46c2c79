//! Views whose code is in a chunk: nothing until they are wanted, then downloaded and shown.

use std::future::Future;

use leptos::{prelude::*, task::spawn_local};
use wasm_split_helpers::SplitLoaderError;

use crate::{
    assets::deployment,
    i18n::{t, use_i18n},
};

/// The state of a download of code.
#[derive(Clone, Copy, Debug)]
pub enum Stage<T> {
    /// Not asked for yet.
    Away,
    /// The code is being downloaded.
    Loading,
    /// The download of the code failed.
    Missing,
    /// The code is available.
    Here(T),
}

impl<T: Copy + Send + Sync + 'static> Stage<T> {
    /// Downloads what `code` returns, unless that is here or on its way.
    pub fn fetch<F>(stage: RwSignal<Self>, code: F)
    where
        F: Future<Output = Result<T, SplitLoaderError>> + 'static,
    {
        if matches!(stage.get_untracked(), Stage::Loading | Stage::Here(_)) {
            return;
        }
        stage.set(Stage::Loading);
        spawn_local(async move {
            let code = code.await;
            if code.is_err() {
                // The loader has written the reason to the console.
                deployment::look();
            }
            stage.try_set(code.map_or(Stage::Missing, Stage::Here));
        });
    }
}

/// Shows what a chunk's function makes while that is wanted.
#[component]
pub fn Later<F>(
    /// Returns what makes the view. In a chunk.
    load: fn() -> F,
    /// True while the view is wanted.
    #[prop(into)]
    when: Signal<bool>,
) -> impl IntoView
where
    F: Future<Output = Result<fn() -> AnyView, SplitLoaderError>> + 'static,
{
    let stage = RwSignal::new(Stage::Away);
    let is_wanted = Memo::new(move |_| when.get());
    // An effect because the server lies outside the reactive graph.
    Effect::new(move |_| {
        if is_wanted.get() {
            Stage::fetch(stage, load());
        }
    });
    move || {
        is_wanted
            .get()
            .then(|| staged(stage, move || Stage::fetch(stage, load())))
    }
}

/// Shows the downloaded view, or that it is being downloaded, or that the download failed, with a way to try again.
pub fn staged(
    stage: RwSignal<Stage<fn() -> AnyView>>,
    retry: impl Fn() + Send + 'static,
) -> AnyView {
    let i18n = use_i18n();
    match stage.get() {
        Stage::Away | Stage::Loading => view! {
            <p class="hint" role="status" data-testid="part-loading">
                {t!(i18n, shell.tab_loading)}
            </p>
        }
        .into_any(),
        Stage::Missing => view! {
            <div class="notice problem" role="alert" data-testid="part-missing">
                <p class="notice-text">{t!(i18n, shell.tab_missing)}</p>
                <button
                    type="button"
                    class="plain-button"
                    data-testid="part-retry"
                    on:click=move |_| retry()
                >
                    {t!(i18n, engine.retry)}
                </button>
            </div>
        }
        .into_any(),
        Stage::Here(show) => show(),
    }
}
