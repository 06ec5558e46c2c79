//! The tab "Teach": routes for a lesson, presenting, hand-outs, and links for a class.

mod routes;
mod sheet;

use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use self::routes::RouteList;
use attention_core::{
    i18n::{t, use_i18n},
    navigation::ViewLink,
    state::{Tab, View},
};
use attention_protocol::OrLogged;

/// Returns the view of the tab. In the chunk of the chapters.
///
/// # Errors
/// If the chunk cannot be downloaded; calling again tries again.
#[wasm_split(learn, fallible)]
pub fn teach() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| view! { <TeachView /> }.into_any())
}

/// The content of the tab "Teach".
#[component]
fn TeachView() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <div class="teach" data-testid="teach">
            <header class="teach-head">
                <h2 class="chapter-title">{t!(i18n, class.teach)}</h2>
                <p class="section-text">{t!(i18n, class.teach_intro)}</p>
            </header>
            <section class="teach-section">
                <h3>{t!(i18n, class.routes)}</h3>
                <p class="hint">{t!(i18n, class.routes_hint)}</p>
                <RouteList />
            </section>
            <div class="teach-side">
                <Presenting />
                <section class="teach-section">
                    <h3>{t!(i18n, class.handouts)}</h3>
                    <p>{t!(i18n, class.handouts_text)}</p>
                    <button
                        type="button"
                        class="plain-button"
                        data-testid="print-plan"
                        // Where printing is not allowed, the browser says so.
                        on:click=move |_| {
                            window().print().or_logged("printing the plan");
                        }
                    >
                        {t!(i18n, class.print_plan)}
                    </button>
                </section>
                <section class="teach-section">
                    <h3>{t!(i18n, class.links)}</h3>
                    <p>{t!(i18n, class.links_text)}</p>
                </section>
                <section class="teach-section">
                    <h3>{t!(i18n, class.tests)}</h3>
                    <p>{t!(i18n, class.tests_text)}</p>
                </section>
            </div>
        </div>
    }
}

/// Presenting: a description, its keys, and the button that starts it.
#[component]
fn Presenting() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <section class="teach-section">
            <h3>{t!(i18n, class.presenter)}</h3>
            <p>{t!(i18n, class.presenter_text)}</p>
            <dl class="teach-keys">
                <dt><kbd>"→"</kbd> <kbd>"Page Down"</kbd> <kbd>{t!(i18n, keys.space)}</kbd></dt>
                <dd>{t!(i18n, keys.go_on)}</dd>
                <dt><kbd>"←"</kbd> <kbd>"Page Up"</kbd></dt>
                <dd>{t!(i18n, keys.go_back)}</dd>
                <dt><kbd>"N"</kbd></dt>
                <dd>{t!(i18n, keys.notes)}</dd>
                <dt><kbd>"Esc"</kbd></dt>
                <dd>{t!(i18n, keys.leave)}</dd>
            </dl>
            <ViewLink change=present_chapter class="plain-button teach-link" test_id="present">
                {t!(i18n, class.present)}
            </ViewLink>
        </section>
    }
}

/// Presents the chapter that is open.
fn present_chapter(view: &mut View) {
    view.tab = Tab::Learn;
    view.class.present = true;
}
