//! Information about the page: its purpose, the size of its type, its keys, its sources and their licences.

use leptos::{ev, prelude::*};
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::{
    keys::{KeyList, LARGE_KEY, PRESENT_KEY},
    report::Report,
    welcome::Doors,
};
use attention_core::{
    assets::{address, edition, version},
    i18n::{t, t_string, use_i18n},
    remembered,
    state::ViewState,
    widgets::{Check, Later, Popover, glossary::GlossaryList, keys::is_for_page},
};

/// A question mark that opens a short text about the page; its key does the same.
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
                <Purpose />
                <h2 class="about-title">{t!(i18n, welcome.doors)}</h2>
                <Doors />
                <LargeType />
                <Presents />
                <Later load=lists when=opened />
                <Report />
                <Origin />
            </div>
        </Popover>
    }
}

/// The purpose of the page, and its use of the typed text.
#[component]
fn Purpose() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <p data-testid="purpose">{t!(i18n, about.purpose)}</p>
        <h2 class="about-title">{t!(i18n, about.privacy)}</h2>
        <p>{t!(i18n, about.privacy_text)}</p>
    }
}

/// The edition of the page, its source, and its citation.
#[component]
fn Origin() -> impl IntoView {
    let i18n = use_i18n();
    let known = [version(), edition("date")].into_iter().flatten();
    let known: Vec<String> = known.collect();
    let link = |name: &'static str, words: fn() -> &'static str| {
        edition(name).map(|to| view! { <li><a href=to rel="noreferrer">{words}</a></li> })
    };
    view! {
        <h2 class="about-title">{t!(i18n, about.origin)}</h2>
        <p data-testid="edition">
            "Attention Scope " {edition("number")} " (" {known.join(", ")} ")"
        </p>
        <ul class="about-links">
            {link("source", || t_string!(use_i18n(), about.source))}
            {link("contact", || t_string!(use_i18n(), about.contact))}
            <li><a href=address("CITATION.cff")>{t!(i18n, about.cite)}</a></li>
            <li><a href=address("notices.txt")>{t!(i18n, shell.notices)}</a></li>
        </ul>
        <p class="hint">{t!(i18n, about.models)}</p>
    }
}

/// Returns the view of the keys and the terms. In the chunk of views that the first picture does not need.
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

/// Toggles a setting with a key, wherever the focus is.
fn switch_by_key(key: &'static str, is_on: Memo<bool>, set: impl Fn(bool) + 'static) {
    let typed = window_event_listener(ev::keydown, move |event| {
        if is_for_page(&event, key) {
            set(!is_on.get_untracked());
        }
    });
    on_cleanup(move || typed.remove());
}

/// The switch of presenter mode, which also has a key.
#[component]
fn Presents() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let presents = state.select(|view| view.class.present);
    let set = move |present| state.update_class(|class| class.present = present);
    switch_by_key(PRESENT_KEY, presents, set);
    view! {
        <Check
            name=Signal::derive(move || t_string!(i18n, class.presenter).to_owned())
            test_id="presenter-mode"
            on=presents
            set
        />
    }
}

/// The switch of large type, which also has a key.
#[component]
fn LargeType() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let large = state.select(|view| view.large);
    let set = move |large| {
        remembered::keep_large(large);
        state.set_large(large);
    };
    switch_by_key(LARGE_KEY, large, set);
    view! {
        <Check
            name=Signal::derive(move || t_string!(i18n, shell.large_type).to_owned())
            test_id="large-type"
            on=large
            set
        />
    }
}
