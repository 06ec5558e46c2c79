//! The band of the first visit: the purpose of the page, its use of the typed text, and four ways in. Once dismissed,
//! the ways remain behind the question mark.

use attention_chapters::Start;
use leptos::prelude::*;

use super::{input::TEXT_BOX, models::ModelsSheet, tabs::focus};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    remembered,
    state::{DeviceChoice, Tab, View, ViewState},
};

/// The band above the live example, until it is dismissed.
#[component]
pub fn Welcome() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let is_new = RwSignal::new(!remembered::is_welcomed());
    let is_here = state.select(|view| view.tab == Tab::Explore && !view.class.is_on());
    let dismiss = move |_| {
        remembered::keep_welcomed();
        is_new.set(false);
    };
    view! {
        <Show when=move || is_new.get() && is_here.get()>
            <section class="welcome" data-testid="welcome" aria-label=move || t_string!(i18n, welcome.label)>
                <p class="welcome-words">
                    <Purpose />
                </p>
                <Doors />
                <button
                    type="button"
                    class="plain-button welcome-close"
                    data-testid="welcome-close"
                    aria-label=move || t_string!(i18n, welcome.close)
                    title=move || t_string!(i18n, welcome.close)
                    on:click=dismiss
                >
                    "✕"
                </button>
            </section>
        </Show>
    }
}

/// The purpose of the page, and the place to which a text goes.
#[component]
fn Purpose() -> impl IntoView {
    let i18n = use_i18n();
    let host = ViewState::expect().select(|view| {
        let server = view.server.as_ref();
        let server = server.filter(|_| view.device == DeviceChoice::Server)?;
        Some(server.host().to_owned())
    });
    move || match host.get() {
        Some(host) => view! {
            {t_string!(i18n, welcome.on_server, host = host.clone())}
            " "
            <strong>{t_string!(i18n, welcome.sent, host = host)}</strong>
        }
        .into_any(),
        None => view! {
            {t!(i18n, welcome.purpose)}
            " "
            <strong>{t!(i18n, welcome.private)}</strong>
        }
        .into_any(),
    }
}

/// The ways in, one for each kind of visitor.
#[component]
pub fn Doors() -> impl IntoView {
    let i18n = use_i18n();
    let sheet = ModelsSheet::expect();
    view! {
        <div class="doors">
            <ViewLink class="door" test_id="door-start" change=open_start>
                {t!(i18n, welcome.start)}
            </ViewLink>
            <button
                type="button"
                class="door"
                data-testid="door-try"
                data-closes
                // Once what it may stand in has closed, which takes the focus back.
                on:click=|_| request_animation_frame(|| focus(TEXT_BOX))
            >
                {t!(i18n, welcome.try_sentence)}
            </button>
            <ViewLink class="door" test_id="door-claim" change=|view| view.open_tool(view.tool)>
                {t!(i18n, welcome.claim)}
            </ViewLink>
            <button
                type="button"
                class="door"
                data-testid="door-model"
                data-closes
                on:click=move |_| sheet.open()
            >
                {t!(i18n, welcome.model)}
            </button>
        </div>
    }
}

fn open_start(view: &mut View) {
    view.open_chapter::<Start>();
}
