//! What went wrong and the ways to go on.

use attention_protocol::Failure;
use leptos::prelude::*;

use super::report::Report;
use crate::{
    engine::{Backend, Live, Problem},
    i18n::{t, use_i18n},
    problems::problem_words,
    state::DeviceChoice,
};

/// The last problem, where there is one, with what can be done about it.
#[component]
pub fn ProblemMessage() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let problem = live.select(|engine| engine.problem.clone());
    let on_cpu = live.select(|engine| engine.backend == Backend::Cpu);
    view! {
        {move || problem.get().map(|problem| {
            let retry = is_worth_a_retry(&problem);
            let cpu = is_about_the_device(&problem);
            view! {
                <div class="notice problem" role="alert" data-testid="problem">
                    <p class="notice-text">{move || problem_words(i18n, &problem)}</p>
                    <div class="notice-actions">
                        <Show when=move || retry>
                            <button
                                type="button"
                                class="plain-button"
                                data-testid="retry"
                                on:click=move |_| live.retry()
                            >
                                {t!(i18n, engine.retry)}
                            </button>
                        </Show>
                        <Show when=move || cpu && !on_cpu.get()>
                            <button
                                type="button"
                                class="plain-button"
                                data-testid="use-cpu"
                                on:click=move |_| live.use_device(DeviceChoice::Cpu)
                            >
                                {t!(i18n, engine.use_cpu)}
                            </button>
                        </Show>
                    </div>
                    <Report />
                </div>
            }
        })}
    }
}

/// Whether the same request may well succeed the next time.
fn is_worth_a_retry(problem: &Problem) -> bool {
    !matches!(
        problem,
        Problem::Failure(
            Failure::EmptyInput
                | Failure::InputTooLong { .. }
                | Failure::ForcedToken { .. }
                | Failure::Edit { .. }
                | Failure::NoWebGpu
        )
    )
}

fn is_about_the_device(problem: &Problem) -> bool {
    matches!(
        problem,
        Problem::Died(_)
            | Problem::Silent
            | Problem::Failure(
                Failure::NoWebGpu | Failure::WrongNumbers { .. } | Failure::DeviceLost { .. }
            )
    )
}
