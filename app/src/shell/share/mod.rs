//! The menu of what a visitor hands on or takes along: the link, the pass on screen and the view as files, and the models for
//! use without a network.

mod film;
mod link;
mod offline;
mod pass;
mod view;

use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use self::{film::TakeFilm, link::CopyLink, offline::KeepModels, pass::TakePass, view::TakeView};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    widgets::{Later, Popover},
};

/// A button that opens the menu.
#[component]
pub fn Share() -> impl IntoView {
    let i18n = use_i18n();
    // Not earlier: what is kept is looked for in the browser's storage.
    let opened = RwSignal::new(false);
    let name = move || view! { {t!(i18n, shell.share)} };
    view! {
        <Popover class="plain-button" test_id="share-menu" opened name>
            <div class="take">
                <Later load=contents when=opened />
            </div>
        </Popover>
    }
}

/// Returns the contents of the menu. In the chunk of views that the first picture does not need.
#[wasm_split(views, fallible)]
fn contents() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| {
        let i18n = use_i18n();
        view! {
            <CopyLink />
            <h2 class="about-title">{t!(i18n, take.pass)}</h2>
            <TakePass />
            <TakeFilm />
            <h2 class="about-title">{t!(i18n, take.this_view)}</h2>
            <TakeView />
            <h2 class="about-title">{t!(i18n, take.offline)}</h2>
            <KeepModels />
        }
        .into_any()
    })
}

/// The reason why a file could not be made, if there is one.
#[component]
fn Failed(reason: RwSignal<Option<String>>) -> impl IntoView {
    let i18n = use_i18n();
    view! {
        {move || reason.get().map(|reason| view! {
            <p class="hint warning" role="alert">
                {move || t_string!(i18n, take.failed, reason = reason.clone())}
            </p>
        })}
    }
}
