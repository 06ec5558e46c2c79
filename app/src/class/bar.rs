//! The bar of the open route: the current stop, its tasks, and the buttons to other stops.

use leptos::prelude::*;

use super::routes::{Route, Routes, Stop};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    state::{View, ViewState},
};

/// The stop on screen.
#[derive(Clone, PartialEq)]
struct Here {
    route: Route,
    stop: usize,
}

impl Here {
    fn stop(&self) -> Option<&Stop> {
        self.route.stops.get(self.stop)
    }

    /// Returns the number of the stop `by` places further on, if there is one.
    fn neighbour(&self, by: isize) -> Option<usize> {
        let stop = self.stop.checked_add_signed(by)?;
        (stop < self.route.stops.len()).then_some(stop)
    }
}

/// The bar of the open route; empty if no route is open.
#[component]
pub fn RouteBar(routes: Routes) -> impl IntoView {
    let i18n = use_i18n();
    let walked = ViewState::expect().select(|view| (view.class.route.clone(), view.class.stop));
    let here = Memo::new(move |_| {
        let (name, stop) = walked.get();
        let route = routes.find(&name)?;
        Some(Here {
            stop: route.nearest(stop),
            route,
        })
    });
    ViewState::expect().compare_count("stop", move || {
        here.read()
            .as_ref()
            .map_or(0, |here| here.route.stops.len())
    });
    let is_walked = Memo::new(move |_| !walked.read().0.is_empty());
    let is_unknown = move || routes.all().is_some() && here.read().is_none();
    view! {
        <Show when=move || is_walked.get()>
            <nav class="route-bar" aria-label=move || t_string!(i18n, class.route) data-testid="route">
                <Show when=move || here.read().is_some()>
                    <Turn here by=-1 />
                    <Words here />
                    <Turn here by=1 />
                    <Tasks here />
                </Show>
                <Show when=is_unknown>
                    <p class="hint" role="alert">
                        {move || match routes.problem() {
                            Some(reason) => t_string!(i18n, class.missing, reason = reason).to_string(),
                            None => t_string!(i18n, class.unknown).to_owned(),
                        }}
                    </p>
                </Show>
                <Leave />
            </nav>
        </Show>
    }
}

/// The number of the stop, and the minutes left in the plan.
#[component]
fn Words(here: Memo<Option<Here>>) -> impl IntoView {
    let i18n = use_i18n();
    let title = move || Some(here.read().as_ref()?.stop()?.title.now());
    let place = move || {
        let here = here.read();
        let Here { route, stop } = here.as_ref()?;
        let minutes = here.as_ref()?.stop()?.minutes;
        Some(t_string!(
            i18n,
            class.place,
            stop = stop + 1,
            count = route.stops.len(),
            minutes = minutes,
            left = route.minutes_from(*stop),
            all = route.minutes()
        ))
    };
    view! {
        <p class="route-words" role="status">
            <strong data-testid="route-stop">{title}</strong>
            <span class="hint" data-testid="route-place">{place}</span>
        </p>
    }
}

/// The button to the stop before or after this one.
#[component]
fn Turn(here: Memo<Option<Here>>, by: isize) -> impl IntoView {
    let i18n = use_i18n();
    let to = Memo::new(move |_| here.read().as_ref()?.neighbour(by));
    let change = move |view: &mut View| {
        let there = here.with(|here| here.as_ref()?.route.view(view, to.get()?));
        if let Some(there) = there {
            *view = there;
        }
    };
    let (class, test_id) = match by {
        ..0 => ("route-turn plain-button", "previous-stop"),
        _ => ("route-turn main-button", "next-stop"),
    };
    view! {
        <Show when=move || to.get().is_some()>
            <ViewLink change class test_id>
                {move || match by {
                    ..0 => t_string!(i18n, class.previous),
                    _ => t_string!(i18n, class.next),
                }}
            </ViewLink>
        </Show>
    }
}

/// The students' tasks at the stop and, while presenting, the teacher's notes, on demand.
#[component]
fn Tasks(here: Memo<Option<Here>>) -> impl IntoView {
    let i18n = use_i18n();
    let notes = ViewState::expect().select(|view| view.class.present && view.class.notes);
    let students = move || Some(here.read().as_ref()?.stop()?.students.now());
    let teacher = move || Some(here.read().as_ref()?.stop()?.teacher.now());
    view! {
        <p class="route-students" data-testid="route-students">{students}</p>
        <Show when=move || notes.get()>
            <p class="route-notes" role="note" data-testid="route-notes">
                <strong>{t!(i18n, class.notes_name)}</strong> " " {teacher}
            </p>
        </Show>
    }
}

/// The button that leaves the open route.
#[component]
fn Leave() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <ViewLink
            change=|view: &mut View| {
                view.class.route.clear();
                view.class.stop = 0;
            }
            class="route-leave"
            test_id="leave-route"
        >
            {t!(i18n, class.leave)}
        </ViewLink>
    }
}
