//! The band of the first visit: the purpose of the page, its use of the typed text, and four ways in. Once dismissed,
//! the ways remain behind the question mark.

use attention_chapters::Start;
use leptos::prelude::*;

use super::{input::TEXT_BOX, models::ModelsSheet, tabs::focus};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    remembered,
    state::{Attendance, DeviceChoice, Tab, View, ViewState},
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

/// The place to which a typed text goes.
#[derive(Clone, PartialEq, Eq)]
enum Reach {
    /// It stays in the browser.
    Here,
    /// The server of this host, whose model runs.
    Server(String),
    /// The members of a class, whose pages show it.
    Class,
}

impl Reach {
    fn of(view: &View) -> Self {
        match view.server_host() {
            Some(host) if view.device == DeviceChoice::Server => Reach::Server(host.to_owned()),
            _ if view.class.attendance != Attendance::Absent => Reach::Class,
            _ => Reach::Here,
        }
    }
}

/// The purpose of the page, and the place to which a text goes.
#[component]
fn Purpose() -> impl IntoView {
    let i18n = use_i18n();
    let reach = ViewState::expect().select(Reach::of);
    move || match reach.get() {
        Reach::Server(host) => view! {
            {t_string!(i18n, welcome.on_server, host = host.clone())}
            " "
            <strong>{t_string!(i18n, welcome.sent, host = host)}</strong>
        }
        .into_any(),
        // Who leads shows all that is typed, and who follows sends the predictions: the bar of the class says so.
        Reach::Class => t!(i18n, welcome.purpose).into_any(),
        Reach::Here => view! {
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
