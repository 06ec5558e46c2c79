//! The server on which the model may run: its link, the model that it has, and the ways to continue without it.

use leptos::prelude::*;

use super::problem::Action;
use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    state::{DeviceChoice, Server, ViewState},
};

/// The time until the next attempt to reach the server.
#[component]
pub fn NextAttempt() -> impl IntoView {
    let i18n = use_i18n();
    let seconds = Live::expect().select(|engine| engine.reconnects_in_s());
    view! {
        // Each second a new number: announcing them would drown everything else.
        <span aria-live="off" data-testid="next-attempt">
            {move || seconds.get().map(|seconds| {
                format!(" {}", t_string!(i18n, engine.next_attempt, seconds = seconds))
            })}
        </span>
    }
}

/// The ways to continue from a problem with a server.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct ServerRemedies {
    /// To connect to the server that the address names.
    pub use_server: bool,
    /// To use the model that the server has.
    pub use_model: bool,
    pub use_browser: bool,
    /// To agree to a server on another host than the page's.
    pub agree: bool,
}

/// The buttons of the ways to continue.
#[component]
pub fn ServerActions(remedies: ServerRemedies) -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let host = ViewState::expect().select(|view| view.server_host().unwrap_or_default().to_owned());
    let agree = move || {
        live.agree();
        live.retry();
    };
    view! {
        <Action when=remedies.agree test_id="agree-to-server" act=agree>
            {move || t_string!(i18n, engine.connect_to, host = host.get())}
        </Action>
        <Action
            when=remedies.use_server
            test_id="use-server"
            act=move || live.use_device(DeviceChoice::Server)
        >
            {t!(i18n, engine.use_server)}
        </Action>
        <Action
            when=remedies.use_model
            test_id="use-model-of-server"
            act=move || live.use_model_of_server()
        >
            {t!(i18n, engine.use_model_of_server)}
        </Action>
        <Action
            when=remedies.use_browser
            test_id="use-browser"
            act=move || live.use_device(DeviceChoice::Auto)
        >
            {t!(i18n, engine.use_browser)}
        </Action>
    }
}

/// The note that the model in sight runs in the browser, since the chosen server has another.
#[component]
pub fn ServerHas() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let name = live.select(|engine| engine.server_has().map(str::to_owned));
    view! {
        {move || name.get().map(|name| view! {
            <div class="device-server">
                <p class="hint" data-testid="server-has">
                    {move || t_string!(i18n, engine.server_has, name = name.clone())}
                </p>
                <button
                    type="button"
                    class="plain-button"
                    data-testid="use-model-of-server"
                    on:click=move |_| live.use_model_of_server()
                >
                    {t!(i18n, engine.use_model_of_server)}
                </button>
            </div>
        })}
    }
}

/// A field for the link of a server.
#[component]
pub fn ServerLink() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let link = RwSignal::new(String::new());
    let is_wrong = RwSignal::new(false);
    let connect = move || match Server::from_link(&link.get_untracked()) {
        Some(server) => {
            is_wrong.set(false);
            link.set(String::new());
            live.use_server(server);
        }
        None => is_wrong.set(true),
    };
    view! {
        <form
            class="device-server"
            on:submit=move |event| {
                event.prevent_default();
                connect();
            }
        >
            <label for="server-link">{t!(i18n, engine.server_link)}</label>
            <div class="device-link">
                <input
                    id="server-link"
                    type="text"
                    inputmode="url"
                    autocomplete="off"
                    data-testid="server-link"
                    aria-describedby="server-hint"
                    prop:value=link
                    on:input:target=move |event| link.set(event.target().value())
                />
                <button type="submit" class="plain-button" data-testid="server-connect">
                    {t!(i18n, engine.connect)}
                </button>
            </div>
            <p class="hint" id="server-hint">{t!(i18n, engine.server_hint)}</p>
            <Show when=move || is_wrong.get()>
                <p class="hint warning" role="alert" data-testid="server-link-problem">
                    {t!(i18n, engine.no_link)}
                </p>
            </Show>
        </form>
    }
}
