//! What went wrong and the ways to go on.

use attention_protocol::Failure;
use leptos::prelude::*;

use super::report::Report;
use attention_core::{
    engine::{Backend, Live, Problem},
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    problems::{is_of_empty_text, problem_words},
    state::{DeviceChoice, Model, Tab, View},
};

/// The last problem, where there is one, with what can be done about it.
#[component]
pub fn ProblemMessage() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    // With it, whether the model was trained on this page and is kept no more: no server has it.
    let problem = live.select(|engine| {
        let problem = engine.problem.clone()?;
        let is_trained = matches!(engine.wanted().model, Model::Trained(_));
        let is_not_kept = is_trained && problem.is_about_files();
        Some((problem, is_not_kept))
    });
    let on_cpu = live.select(|engine| engine.backend == Backend::Cpu);
    view! {
        {move || problem.get().map(|(problem, is_not_kept)| {
            if matches!(&problem, Problem::Failure(failure) if is_of_empty_text(failure)) {
                return view! { <EmptyText problem /> }.into_any();
            }
            let retry = is_worth_a_retry(&problem) && !is_not_kept;
            let cpu = is_about_the_device(&problem);
            view! {
                <div class="notice problem" role="alert" data-testid="problem">
                    <p class="notice-text">
                        {move || match is_not_kept {
                            true => t_string!(i18n, engine.not_kept).to_owned(),
                            false => problem_words(i18n, &problem),
                        }}
                    </p>
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
                        <Show when=move || is_not_kept>
                            <ViewLink
                                change=open_training
                                class="link-button"
                                test_id="train-again"
                            >
                                {t!(i18n, engine.train_again)}
                            </ViewLink>
                        </Show>
                    </div>
                    <Report />
                </div>
            }
            .into_any()
        })}
    }
}

/// Nothing was typed: a hint, since nothing is broken that could be reported.
#[component]
fn EmptyText(problem: Problem) -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <p class="hint" role="status" data-testid="problem">
            {move || problem_words(i18n, &problem)}
        </p>
    }
}

/// Opens the chapter where the model can be trained again: its settings are in the view.
fn open_training(view: &mut View) {
    view.tab = Tab::Learn;
    view.chapters.open("training");
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
