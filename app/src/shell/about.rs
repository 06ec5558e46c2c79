//! What the page is, how large its type is, which keys it knows, what it is made of and under which licences.

use leptos::{ev, prelude::*};

use super::{keys::KeyList, report::Report};
use crate::{
    assets::address,
    i18n::{t, t_string, use_i18n},
    remembered,
    state::ViewState,
    widgets::{Check, Popover, glossary::GlossaryList, keys::is_for_page},
};

/// The key that makes type large, and as it was.
const LARGE_KEY: &str = "l";

/// A question mark that opens a few words about the page; so does its key.
#[component]
pub fn About() -> impl IntoView {
    let i18n = use_i18n();
    let name = move || {
        view! { <span role="img" aria-label=move || t_string!(i18n, shell.about)>"?"</span> }
    };
    view! {
        <Popover class="plain-button" test_id="about" opened_by="?" name>
            <div class="about">
                <p>{t!(i18n, shell.tagline)}</p>
                <LargeType />
                <KeyList />
                <GlossaryList />
                <Report />
                <p><a href=address("notices.txt")>{t!(i18n, shell.notices)}</a></p>
            </div>
        </Popover>
    }
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
