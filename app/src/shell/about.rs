//! What the page is, how large its type is, which keys it knows, what it is made of and under which licences.

use leptos::{ev, prelude::*};
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::{keys::KeyList, report::Report};
use crate::{
    assets::address,
    i18n::{t, t_string, use_i18n},
    remembered,
    state::ViewState,
    widgets::{Check, Later, Popover, glossary::GlossaryList, keys::is_for_page},
};

/// The key that makes type large, and as it was.
const LARGE_KEY: &str = "l";

/// A question mark that opens a few words about the page; so does its key.
#[component]
pub fn About() -> impl IntoView {
    let i18n = use_i18n();
    let opened = RwSignal::new(false);
    let name = move || {
        view! { <span role="img" aria-label=move || t_string!(i18n, shell.about)>"?"</span> }
    };
    view! {
        <Popover class="plain-button" test_id="about" opened_by="?" opened name>
            <div class="about">
                <p>{t!(i18n, shell.tagline)}</p>
                <LargeType />
                <Later load=lists when=opened />
                <Report />
                <p><a href=address("notices.txt")>{t!(i18n, shell.notices)}</a></p>
            </div>
        </Popover>
    }
}

/// The keys and the terms. In the chunk of views that the first picture does not need.
#[wasm_split(views, fallible)]
fn lists() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| {
        view! {
            <KeyList />
            <GlossaryList />
        }
        .into_any()
    })
}

/// The switch of large type, which a key moves too.
#[component]
fn LargeType() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let large = state.select(|view| view.large);
    let set = move |large| {
        remembered::keep_large(large);
        state.set_large(large);
    };
    let typed = window_event_listener(ev::keydown, move |event| {
        if is_for_page(&event, LARGE_KEY) {
            set(!large.get_untracked());
        }
    });
    on_cleanup(move || typed.remove());
    view! {
        <Check
            name=Signal::derive(move || t_string!(i18n, shell.large_type).to_owned())
            test_id="large-type"
            on=large
            set
        />
    }
}
