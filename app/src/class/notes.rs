//! The notes in a window of their own, for the lecturer's screen: the notes of the stop, the next stop, and the time.

use std::time::Duration;

use js_sys::Date;
use leptos::{ev::KeyboardEvent, portal::Portal, prelude::*};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{Document, Element, Window};

use super::routes::{Route, Routes};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    state::ViewState,
};
use attention_protocol::OrLogged;

/// The name of the window, by which it is opened only once.
const NAME: &str = "attention-scope-notes";
/// The features of a window without bars.
const FEATURES: &str = "popup,width=520,height=640";
/// The time between two checks of the clock and of the window's state.
const TICK: Duration = Duration::from_secs(1);

/// The button that opens the window, with a message if it could not be opened. Keys in the window act as on the page.
#[component]
pub fn NotesWindow(
    /// The routes for lessons.
    routes: Routes,
    /// The callback for keys pressed in the window.
    typed: Callback<KeyboardEvent>,
) -> impl IntoView {
    let i18n = use_i18n();
    let opened = RwSignal::new_local(None::<Window>);
    let blocked = RwSignal::new(false);
    let now = RwSignal::new(Date::now());
    let listener = Closure::<dyn Fn(KeyboardEvent)>::new(move |event| typed.run(event));
    let listener = StoredValue::new_local(listener);
    let open = move |_| {
        let window = open_window();
        blocked.set(window.is_none());
        if let Some(window) = &window {
            listener.with_value(|listener| listen(window, listener));
        }
        now.set(Date::now());
        opened.set(window);
    };
    let clock = set_interval_with_handle(
        move || {
            now.set(Date::now());
            if opened.with_untracked(is_closed) {
                opened.set(None);
            }
        },
        TICK,
    );
    on_cleanup(move || {
        if let Some(clock) = clock.or_logged("watching the notes") {
            clock.clear();
        }
        opened.with_untracked(|window| {
            if let Some(window) = window {
                window.close().or_logged("closing the notes");
            }
        });
    });
    let contents = move || {
        let mount = opened.with(|window| body(window.as_ref()?))?;
        Some(view! { <Portal mount><Notes routes now /></Portal> })
    };
    view! {
        <button type="button" class="plain-button" data-testid="notes-window" on:click=open>
            {t!(i18n, class.notes_window)}
        </button>
        <Show when=move || blocked.get()>
            <span class="hint" role="alert" data-testid="notes-blocked">{t!(i18n, class.notes_blocked)}</span>
        </Show>
        {contents}
    }
}

/// The stop's title, times, notes and task, and the next stop's title.
#[component]
fn Notes(routes: Routes, now: RwSignal<f64>) -> impl IntoView {
    let i18n = use_i18n();
    let walked = ViewState::expect().select(|view| (view.class.route.clone(), view.class.stop));
    let here = Memo::new(move |_| {
        let (name, stop) = walked.get();
        let route = routes.find(&name)?;
        Some((route.nearest(stop), route))
    });
    let began = now.get_untracked();
    let stop_began = RwSignal::new(began);
    // An effect because the time at which the stop changed is no part of the view.
    Effect::new(move |_| {
        here.track();
        stop_began.set(Date::now());
    });
    let words = move |of: fn(&Route, usize) -> Option<String>| {
        move || here.with(|here| here.as_ref().and_then(|(stop, route)| of(route, *stop)))
    };
    let times = move || {
        here.with(|here| {
            let (stop, route) = here.as_ref()?;
            let now = now.get();
            let words = t_string!(
                i18n,
                class.times,
                here = passed(now - stop_began.get()),
                minutes = route.stops.get(*stop)?.minutes,
                passed = passed(now - began),
                all = route.minutes()
            );
            Some(words.to_string())
        })
    };
    view! {
        <section class="notes" data-testid="notes">
            <h1>{words(|route, stop| Some(route.stops.get(stop)?.title.now()))}</h1>
            <p class="number" data-testid="notes-time">{times}</p>
            <p class="route-notes">{words(|route, stop| Some(route.stops.get(stop)?.teacher.now()))}</p>
            <p>{words(|route, stop| Some(route.stops.get(stop)?.students.now()))}</p>
            <p class="hint">{move || {
                let next = words(|route, stop| Some(route.stops.get(stop + 1)?.title.now()))()?;
                Some(t_string!(i18n, class.then, title = next).to_string())
            }}</p>
            <Show when=move || here.read().is_none()>
                <p>{t!(i18n, class.no_route)}</p>
            </Show>
        </section>
    }
}

/// Returns a time in milliseconds as minutes and seconds.
fn passed(milliseconds: f64) -> String {
    let seconds = (milliseconds / 1000.0).max(0.0) as u64;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// Opens the window with the page's style sheets; `None` if the browser blocks it.
fn open_window() -> Option<Window> {
    let opened = window().open_with_url_and_target_and_features("", NAME, FEATURES);
    let opened = opened.or_logged("opening the notes")??;
    let there = opened.document()?;
    dress(&there);
    Some(opened)
}

/// Gives a document the page's style sheets, language and appearance, once.
fn dress(there: &Document) {
    let (Some(head), Some(root)) = (
        there
            .query_selector("head")
            .or_logged("styling the notes")
            .flatten(),
        there.document_element(),
    ) else {
        return;
    };
    let here = document();
    there.set_title(&here.title());
    if let Some(page) = here.document_element() {
        for name in ["lang", "data-theme"] {
            if let Some(value) = page.get_attribute(name) {
                root.set_attribute(name, &value)
                    .or_logged("styling the notes");
            }
        }
    }
    let has_styles = matches!(head.query_selector("link"), Ok(Some(_)));
    let Some(sheets) = here
        .query_selector_all("link[rel=stylesheet]")
        .or_logged("styling the notes")
    else {
        return;
    };
    for place in (0..sheets.length()).filter(|_| !has_styles) {
        let copy = sheets
            .item(place)
            .and_then(|sheet| sheet.clone_node().or_logged("styling the notes"));
        if let Some(copy) = copy {
            head.append_child(&copy).or_logged("styling the notes");
        }
    }
}

/// Returns the body of the notes' window. Elements of another window have other classes, so a checked cast would fail.
fn body(window: &Window) -> Option<Element> {
    let body = window
        .document()?
        .query_selector("body")
        .or_logged("finding the notes")??;
    Some(JsValue::from(body).unchecked_into())
}

fn listen(window: &Window, listener: &Closure<dyn Fn(KeyboardEvent)>) {
    let listener = listener.as_ref().unchecked_ref();
    // The same listener is heard once, however often it is added.
    window
        .add_event_listener_with_callback("keydown", listener)
        .or_logged("listening to the notes' keys");
}

fn is_closed(window: &Option<Window>) -> bool {
    let closed = |window: &Window| {
        window
            .closed()
            .or_logged("finding the notes")
            .unwrap_or(true)
    };
    window.as_ref().is_some_and(closed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_minutes_and_seconds() {
        assert_eq!(passed(0.0), "0:00");
        assert_eq!(passed(65_999.0), "1:05");
        assert_eq!(passed(90.0 * 60_000.0), "90:00");
        assert_eq!(passed(-1.0), "0:00");
    }
}
