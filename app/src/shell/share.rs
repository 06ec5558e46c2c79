//! A link to what is on screen.

use std::time::Duration;

use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen_futures::JsFuture;

use crate::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    language::current_language,
    state::{View, ViewState},
};

/// How long the button says what it did.
const SAID_FOR: Duration = Duration::from_secs(4);

/// What became of the link.
#[derive(Clone, Copy, PartialEq)]
enum Outcome {
    Copied,
    Refused,
}

/// A button that copies a link to the result on screen, and to it alone: what is typed but did not run is not in it.
#[component]
pub fn Share() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let outcome = RwSignal::new(None);
    let copy = move |_| {
        let link = link(&live.shown_in(state.get_untracked()));
        spawn_local(async move {
            let written = JsFuture::from(window().navigator().clipboard().write_text(&link)).await;
            outcome.try_set(Some(match written {
                Ok(_) => Outcome::Copied,
                Err(_) => Outcome::Refused,
            }));
            set_timeout(
                move || {
                    outcome.try_set(None);
                },
                SAID_FOR,
            );
        });
    };
    view! {
        <button type="button" class="plain-button" data-testid="share" on:click=copy>
            <span role="status">
                {move || match outcome.get() {
                    None => t!(i18n, shell.share).into_any(),
                    Some(Outcome::Copied) => t!(i18n, shell.copied).into_any(),
                    Some(Outcome::Refused) => t!(i18n, shell.not_copied).into_any(),
                }}
            </span>
        </button>
        <span class="visually-hidden">{move || t_string!(i18n, shell.share_hint)}</span>
    }
}

/// The address of a view, in the language it is read in.
fn link(view: &View) -> String {
    let view = View {
        language: Some(current_language()),
        ..view.clone()
    };
    let location = window().location();
    let page = location.origin().unwrap_or_default() + &location.pathname().unwrap_or_default();
    format!("{page}#{}", view.to_fragment())
}
