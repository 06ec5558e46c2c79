//! The routes with their stops, each a link, and the actions on a route: start it, present it, send it to a class.

use leptos::prelude::*;

use super::sheet::SheetButtons;
use crate::class::routes::{Route, Routes, Stop};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    navigation::{ViewLink, address_of},
    state::View,
    widgets::CopyButton,
};

/// All routes, the first of them unfolded.
#[component]
pub fn RouteList() -> impl IntoView {
    let i18n = use_i18n();
    let routes = Routes::fetch();
    move || match routes.all() {
        None => view! { <p class="hint">{t!(i18n, chapters.waiting)}</p> }.into_any(),
        Some(Err(reason)) => view! {
            <p class="notice problem" role="alert">
                {move || t_string!(i18n, class.missing, reason = reason.clone()).to_string()}
            </p>
        }
        .into_any(),
        Some(Ok(routes)) => routes
            .iter()
            .cloned()
            .enumerate()
            .map(|(number, route)| view! { <RouteCard route opened=number == 0 /> })
            .collect_view()
            .into_any(),
    }
}

#[component]
fn RouteCard(route: Route, opened: bool) -> impl IntoView {
    let i18n = use_i18n();
    let minutes = route.minutes();
    let stops = route.stops.len();
    let reserve = route.reserve;
    let homework = route.homework.clone();
    let route = StoredValue::new(route);
    let title = move || route.with_value(|route| route.title.now());
    let listed = route.with_value(|route| route.stops.clone());
    let listed = listed.into_iter().enumerate();
    view! {
        <details class="teach-route" data-testid="teach-route" open=opened>
            <summary>
                <span class="teach-route-title">{title}</span>
                " "
                <span class="hint number">
                    {move || t_string!(i18n, class.plan, minutes = minutes, stops = stops).to_string()}
                </span>
            </summary>
            <p class="teach-actions">
                <ViewLink change=move |view| go(view, route, 0, false) class="plain-button teach-link" test_id="route-link">
                    {t!(i18n, class.start_route)}
                </ViewLink>
                <ViewLink change=move |view| go(view, route, 0, true) class="plain-button teach-link" test_id="present-route">
                    {t!(i18n, class.present_route)}
                </ViewLink>
                <CopyButton
                    test_id="copy-route"
                    text=move || link(route)
                    name=Signal::derive(move || t_string!(i18n, class.copy_route).to_owned())
                    copied=Signal::derive(move || t_string!(i18n, shell.copied).to_owned())
                    refused=Signal::derive(move || t_string!(i18n, shell.not_copied).to_owned())
                />
                <SheetButtons route />
            </p>
            <ol class="teach-stops">
                {listed.map(|(number, stop)| view! { <StopItem route number stop /> }).collect_view()}
            </ol>
            {(reserve > 0)
                .then(|| {
                    view! {
                        <p class="hint teach-after">
                            {move || t_string!(i18n, class.reserve, minutes = reserve).to_string()}
                        </p>
                    }
                })}
            {homework
                .map(|homework| {
                    view! {
                        <p class="teach-after" data-testid="homework">
                            <strong>{t!(i18n, class.homework)}</strong> " " {move || homework.now()}
                        </p>
                    }
                })}
        </details>
    }
}

/// A stop: its link, its minutes in the plan, and the students' task.
#[component]
fn StopItem(route: StoredValue<Route>, number: usize, stop: Stop) -> impl IntoView {
    let i18n = use_i18n();
    let Stop {
        minutes,
        title,
        students,
        ..
    } = stop;
    view! {
        <li class="teach-stop" data-testid="teach-stop">
            <ViewLink change=move |view| go(view, route, number, false) class="own-sentence" test_id="stop-link">
                {move || title.now()}
            </ViewLink>
            " "
            <span class="hint number">{move || t_string!(i18n, chapters.minutes, minutes = minutes).to_string()}</span>
            <p class="hint">{move || students.now()}</p>
        </li>
    }
}

fn go(view: &mut View, route: StoredValue<Route>, stop: usize, presents: bool) {
    if let Some(there) = route.with_value(|route| route.view(view, stop)) {
        *view = there;
        view.class.present |= presents;
    }
}

/// Returns the address of the first stop, for anyone.
fn link(route: StoredValue<Route>) -> String {
    let view = route.with_value(|route| route.view(&View::default(), 0));
    address_of(&view.unwrap_or_default())
}
