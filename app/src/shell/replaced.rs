//! The notice of another build of the page, published while this one was open.

use leptos::{ev, prelude::*};

use attention_core::{
    assets::deployment::{look, was_replaced},
    engine::{Live, Problem},
    i18n::{t, use_i18n},
};
use attention_protocol::OrLogged;

/// The notice, with a button that loads the new build; empty if there is none.
#[component]
pub fn Replaced() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <Show when=was_replaced>
            <div class="notice replaced" role="alert" data-testid="replaced">
                <p class="notice-text">{t!(i18n, shell.replaced)}</p>
                <button
                    type="button"
                    class="plain-button"
                    data-testid="reload"
                    on:click=|_| reload()
                >
                    {t!(i18n, shell.reload)}
                </button>
            </div>
        </Show>
    }
}

fn reload() {
    // Where this fails, the visitor can still use the browser's own button.
    window().location().reload().or_logged("reloading the page");
}

/// Checks for a new build whenever the engine fails because of a missing file, and when the visitor returns to the tab,
/// which may have been open for days.
pub fn watch_deployment(live: Live) {
    let problems = live.select(|engine| (engine.problem.clone(), engine.gave_up_webgpu.clone()));
    // An effect because the server lies outside the reactive graph.
    Effect::new(move |_| {
        let is_missing = |problem: &Option<Problem>| problem.as_ref().is_some_and(is_about_a_file);
        if problems.with(|(problem, gave_up)| is_missing(problem) || is_missing(gave_up)) {
            look();
        }
    });
    let listener = window_event_listener(ev::visibilitychange, |_| {
        if !document().hidden() {
            look();
        }
    });
    on_cleanup(move || listener.remove());
}

/// Returns true if a missing file may be the cause: for a worker that fails to start, a browser reports nothing else.
fn is_about_a_file(problem: &Problem) -> bool {
    matches!(problem, Problem::Died(_)) || problem.is_about_files()
}
