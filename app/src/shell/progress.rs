//! The progress of the engine: loading, faults and ways to continue.

use leptos::prelude::*;

use super::problem::ProblemMessage;
use attention_core::{
    assets::saving::download_bytes,
    engine::{Live, Phase},
    i18n::{t, t_string, use_i18n},
    problems::problem_words,
    widgets::numbers::megabytes,
};

/// The state of the engine in words; empty if the engine is ready.
#[component]
pub fn Progress() -> impl IntoView {
    let live = Live::expect();
    let starting = live.select(|engine| engine.is_starting() && engine.reconnects_in_s().is_none());
    let stopped =
        live.select(|engine| matches!(engine.phase, Phase::Stopped) && engine.problem.is_none());
    view! {
        <Show when=move || starting.get()>
            <Loading />
        </Show>
        <Show when=move || stopped.get()>
            <Stopped />
        </Show>
        <ProblemMessage />
        <GaveUpWebGpu />
    }
}

#[component]
fn Loading() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let bytes = live.select(|engine| match engine.phase {
        Phase::Loading {
            received_bytes,
            total_bytes,
            ..
        } => Some((received_bytes, total_bytes)),
        _ => None,
    });
    let text = move || match bytes.get() {
        Some((received, Some(total))) => {
            let (received, total) = (megabytes(received), megabytes(total));
            t_string!(i18n, engine.loading, received = received, total = total)
        }
        Some((received, None)) => {
            t_string!(i18n, engine.loading_unknown, received = megabytes(received))
        }
        None => t_string!(i18n, engine.booting).to_owned(),
    };
    // A bar without a value shows activity, but no progress.
    let share = move || match bytes.get() {
        Some((received, Some(total))) if total > 0 => Some(received as f64 / total as f64),
        _ => None,
    };
    view! {
        <div class="notice" data-testid="loading">
            <p class="notice-text" id="loading-text">{text}</p>
            <progress aria-labelledby="loading-text" max="1" value=share></progress>
            <button
                type="button"
                class="plain-button"
                data-testid="cancel-loading"
                on:click=move |_| live.cancel()
            >
                {t!(i18n, engine.cancel)}
            </button>
        </div>
    }
}

#[component]
fn Stopped() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    // What is not downloaded before the visitor agrees, where the browser is to save data.
    let held_back = live.select(|engine| {
        let directory = engine.wanted().model.directory();
        engine
            .is_held_back
            .then(|| directory.map_or(0, download_bytes))
    });
    let text = move || match held_back.get() {
        Some(bytes) => t_string!(i18n, engine.held_back, size = megabytes(bytes)),
        None => t_string!(i18n, engine.stopped).to_owned(),
    };
    view! {
        <div class="notice" role="status" data-testid="stopped">
            <p class="notice-text">{text}</p>
            <button
                type="button"
                class="plain-button"
                data-testid="retry"
                on:click=move |_| live.retry()
            >
                {t!(i18n, engine.load)}
            </button>
        </div>
    }
}

/// The reason for the change to the CPU, displayed after the change.
#[component]
fn GaveUpWebGpu() -> impl IntoView {
    let i18n = use_i18n();
    let gave_up = Live::expect().select(|engine| engine.gave_up_webgpu.clone());
    view! {
        {move || gave_up.get().map(|problem| view! {
            <p class="hint" role="status" data-testid="gave-up-webgpu">
                {t!(i18n, engine.gave_up_webgpu)} " "
                {move || problem_words(i18n, &problem)}
            </p>
        })}
    }
}
