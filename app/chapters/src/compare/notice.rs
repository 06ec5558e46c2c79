//! The progress of the second engine: loading, running or failed, with the ways to go on.

use attention_core::{
    engine::{Engine, Phase, Problem, Second},
    i18n::{t, t_string, use_i18n},
    problems::{is_of_empty_text, problem_words},
    widgets::numbers::megabytes,
};
use leptos::prelude::*;

/// The state of the second engine, as far as the notice shows it.
#[derive(Clone, Debug, PartialEq)]
enum Doing {
    /// The worker is starting.
    Booting,
    /// It loads the model: the bytes so far and in all, if known.
    Loading(u64, Option<u64>),
    /// It runs, and has appended so many tokens.
    Running(usize),
    /// It failed with this problem.
    Failed(Problem),
    /// It has nothing to do.
    Resting,
}

impl Doing {
    fn of(engine: &Engine) -> Self {
        if let Some(problem) = &engine.problem {
            return Doing::Failed(problem.clone());
        }
        match (&engine.phase, &engine.running) {
            (Phase::Booting, _) => Doing::Booting,
            // What is wanted is about to be asked for.
            (Phase::Stopped, _) if engine.is_held_back => Doing::Booting,
            (
                &Phase::Loading {
                    received_bytes,
                    total_bytes,
                    ..
                },
                _,
            ) => Doing::Loading(received_bytes, total_bytes),
            (Phase::Ready { .. }, Some(run)) if run.cancelled_s.is_none() => {
                Doing::Running(run.tokens)
            }
            (Phase::Ready { .. } | Phase::Stopped, _) => Doing::Resting,
        }
    }
}

/// Says so where something is wanted of the engine and not here yet.
#[component]
pub fn SecondNotice(second: Second) -> impl IntoView {
    let doing = second.select(Doing::of);
    let is_awaited = Memo::new(move |_| second.wanted().is_some() && !second.is_current());
    let is_busy = Memo::new(move |_| {
        matches!(
            doing.get(),
            Doing::Booting | Doing::Loading(..) | Doing::Running(_)
        )
    });
    view! {
        <Show when=move || is_awaited.get()>
            {move || match is_busy.get() {
                true => view! { <Busy second doing /> }.into_any(),
                false => view! { <Idle second doing /> }.into_any(),
            }}
        </Show>
    }
}

#[component]
fn Busy(second: Second, doing: Memo<Doing>) -> impl IntoView {
    let i18n = use_i18n();
    let words = move || match doing.get() {
        Doing::Loading(received, Some(total)) => t_string!(
            i18n,
            engine.loading,
            received = megabytes(received),
            total = megabytes(total)
        ),
        Doing::Loading(received, None) => {
            t_string!(i18n, engine.loading_unknown, received = megabytes(received))
        }
        Doing::Running(tokens) => t_string!(i18n, compare.running, tokens = tokens),
        Doing::Booting | Doing::Failed(_) | Doing::Resting => {
            t_string!(i18n, engine.booting).to_owned()
        }
    };
    // A bar without a value shows activity, but no progress.
    let share = move || match doing.get() {
        Doing::Loading(received, Some(total)) if total > 0 => Some(received as f64 / total as f64),
        _ => None,
    };
    view! {
        <div class="notice" data-testid="second-busy">
            <p class="notice-text">{words}</p>
            <progress aria-label=words max="1" value=share></progress>
            <button
                type="button"
                class="plain-button"
                data-testid="cancel-second"
                on:click=move |_| second.cancel()
            >
                {t!(i18n, engine.cancel)}
            </button>
        </div>
    }
}

#[component]
fn Idle(second: Second, doing: Memo<Doing>) -> impl IntoView {
    let i18n = use_i18n();
    let failed = Memo::new(move |_| match doing.get() {
        Doing::Failed(problem) => !is_of_empty(&problem),
        _ => false,
    });
    // Another text is asked for above; the same one would be as empty.
    let is_empty = Memo::new(move |_| match doing.get() {
        Doing::Failed(problem) => is_of_empty(&problem),
        _ => false,
    });
    let words = move || match doing.get() {
        Doing::Failed(problem) => problem_words(i18n, &problem),
        _ => t_string!(i18n, compare.cancelled).to_owned(),
    };
    view! {
        <div
            class=move || match (is_empty.get(), failed.get()) {
                (true, _) => "hint",
                (false, true) => "notice problem",
                (false, false) => "notice",
            }
            role=move || if is_empty.get() { "status" } else { "alert" }
            data-testid="second-idle"
        >
            <p class="notice-text">{words}</p>
            <Show when=move || !is_empty.get()>
                <button
                    type="button"
                    class="plain-button"
                    data-testid="retry-second"
                    on:click=move |_| second.retry()
                >
                    {t!(i18n, engine.retry)}
                </button>
            </Show>
        </div>
    }
}

fn is_of_empty(problem: &Problem) -> bool {
    matches!(problem, Problem::Failure(failure) if is_of_empty_text(failure))
}
