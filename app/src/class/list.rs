//! Where teachers find the routes and presenter mode.

use leptos::prelude::*;

use super::routes::{Route, Routes};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    state::{View, ViewState},
};

/// The routes, each a link to its first stop, and the way into presenter mode.
#[component]
pub fn RouteList() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let is_open = RwSignal::new(false);
    view! {
        <details
            class="teachers"
            data-testid="teachers"
            on:toggle:target=move |event| is_open.set(event.target().open())
        >
            <summary>{t!(i18n, class.teachers)}</summary>
            <Show when=move || is_open.get()>
                <p class="hint">{t!(i18n, class.hint)}</p>
                <List />
                <button
                    type="button"
                    class="plain-button"
                    data-testid="present"
                    on:click=move |_| state.update_class(|class| class.present = true)
                >
                    {t!(i18n, class.present)}
                </button>
            </Show>
        </details>
    }
}

#[component]
fn List() -> impl IntoView {
    let i18n = use_i18n();
    let routes = Routes::fetch();
    move || match routes.all() {
        None => view! { <p class="hint">{t!(i18n, chapters.waiting)}</p> }.into_any(),
        Some(Err(reason)) => view! {
            <p class="notice problem">{t!(i18n, class.missing, reason = reason)}</p>
        }
        .into_any(),
        Some(Ok(routes)) => {
            let links = routes
                .iter()
                .cloned()
                .map(|route| view! { <li><RouteLink route /></li> });
            view! { <ul class="routes">{links.collect_view()}</ul> }.into_any()
        }
    }
}

#[component]
fn RouteLink(route: Route) -> impl IntoView {
    let i18n = use_i18n();
    let route = StoredValue::new(route);
    let change = move |view: &mut View| {
        if let Some(there) = route.with_value(|route| route.view(view, 0)) {
            *view = there;
        }
    };
    let words = move || {
        route.with_value(|route| {
            t_string!(
                i18n,
                class.entry,
                minutes = route.minutes(),
                title = route.title.now()
            )
        })
    };
    view! { <ViewLink change class="own-sentence" test_id="route-link">{words}</ViewLink> }
}
