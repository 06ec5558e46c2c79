//! The slim bar at the top: name, tabs, device, sharing, language, theme.

use leptos::prelude::*;

use super::{
    about::About, device::DeviceStatus, here::Here, models::ModelsButton, share::Share, tabs::Tabs,
};
use attention_core::{
    i18n::{t_string, td_string, use_i18n},
    language::{current_language, next_language},
    remembered,
    state::{Tab, Theme, ViewState},
};

/// The header of the page.
#[component]
pub fn Header() -> impl IntoView {
    let i18n = use_i18n();
    // The model in small says where one is; beside the map itself it says nothing.
    let shows_map = ViewState::expect().select(|view| view.tab == Tab::Explore);
    view! {
        <header class="header">
            <h1 class="brand" title=move || t_string!(i18n, shell.tagline)>
                <span class="brand-mark" aria-hidden="true"></span>
                <span class="brand-name">"Attention Scope"</span>
            </h1>
            <Show when=move || !shows_map.get()>
                <Here />
            </Show>
            <Tabs />
            <ModelsButton />
            <DeviceStatus />
            <div class="header-switches">
                <Share />
                <About />
                <LanguageSwitch />
                <ThemeSwitch />
            </div>
        </header>
    }
}

/// A button that names the next language, in that language.
#[component]
fn LanguageSwitch() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let other = move || next_language(current_language());
    let name = move || td_string!(other(), shell.language);
    view! {
        <button
            type="button"
            class="plain-button"
            data-testid="language"
            aria-label=move || t_string!(i18n, shell.switch_language)
            on:click=move |_| {
                let language = untrack(other);
                remembered::keep_language(language);
                state.set_language(language);
            }
        >
            {name}
        </button>
    }
}

#[component]
fn ThemeSwitch() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let theme = state.select(|view| view.theme);
    let name = move || match theme.get() {
        Theme::Auto => t_string!(i18n, shell.theme_auto),
        Theme::Light => t_string!(i18n, shell.theme_light),
        Theme::Dark => t_string!(i18n, shell.theme_dark),
    };
    let sign = move || match theme.get() {
        Theme::Auto => "◐",
        Theme::Light => "☀",
        Theme::Dark => "☾",
    };
    let next = move || match theme.get_untracked() {
        Theme::Auto => Theme::Light,
        Theme::Light => Theme::Dark,
        Theme::Dark => Theme::Auto,
    };
    view! {
        <button
            type="button"
            class="plain-button"
            data-testid="theme"
            aria-label=move || format!("{}: {}", t_string!(i18n, shell.theme), name())
            title=move || format!("{}: {}", t_string!(i18n, shell.theme), name())
            on:click=move |_| {
                remembered::keep_theme(next());
                state.set_theme(next());
            }
        >
            <span aria-hidden="true">{sign}</span>
            <span class="wide-only">{name}</span>
        </button>
    }
}
