//! What went wrong, in the visitor's words, and the ways to go on.

use attention_protocol::Failure;
use attention_trace::EditFault;
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::report::Report;
use crate::{
    engine::{Backend, Live, Problem},
    i18n::{Locale, t, t_string, use_i18n},
    navigation::ViewLink,
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
            let retry = is_worth_a_retry(&problem) && !is_not_kept;
            let cpu = is_about_the_device(&problem);
            view! {
                <div class="notice problem" role="alert" data-testid="problem">
                    <p class="notice-text">
                        {move || match is_not_kept {
                            true => t_string!(i18n, engine.not_kept).to_owned(),
                            false => words(i18n, &problem),
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
        })}
    }
}

/// Opens the chapter where the model can be trained again: its settings are in the view.
fn open_training(view: &mut View) {
    view.tab = Tab::Learn;
    view.chapters.open("training");
}

/// The problem in the visitor's language.
pub fn words(i18n: I18nContext<Locale>, problem: &Problem) -> String {
    match problem {
        Problem::Failure(failure) => failure_words(i18n, failure),
        Problem::Died(reason) => t_string!(i18n, engine.died, reason = reason.clone()),
        Problem::Silent => t_string!(i18n, engine.silent).to_owned(),
        Problem::Part(failure) => {
            t_string!(i18n, engine.part, reason = failure_words(i18n, failure))
        }
        Problem::Unreadable(reason) => t_string!(i18n, engine.unreadable, reason = reason.clone()),
        Problem::Example(reason) => t_string!(i18n, engine.example, reason = reason.clone()),
    }
}

fn failure_words(i18n: I18nContext<Locale>, failure: &Failure) -> String {
    match failure {
        Failure::EmptyInput => t_string!(i18n, engine.empty_input).to_owned(),
        &Failure::InputTooLong { tokens, limit } => {
            t_string!(i18n, engine.input_too_long, tokens = tokens, limit = limit)
        }
        &Failure::ForcedToken { token, vocabulary } => {
            t_string!(
                i18n,
                engine.forced_token,
                token = token,
                vocabulary = vocabulary
            )
        }
        Failure::Download { url, reason } => {
            t_string!(
                i18n,
                engine.download,
                url = url.clone(),
                reason = reason.clone()
            )
        }
        Failure::Checkpoint { reason } => {
            t_string!(i18n, engine.checkpoint, reason = reason.clone())
        }
        Failure::NoWebGpu => t_string!(i18n, engine.no_webgpu).to_owned(),
        Failure::WrongNumbers {
            difference,
            kernels,
        } => wrong_numbers(i18n, *difference, kernels),
        Failure::DeviceLost { reason } => {
            // Browsers end theirs with a full stop; so does the message.
            let reason = reason.trim_end_matches('.').to_owned();
            t_string!(i18n, engine.device_lost, reason = reason)
        }
        Failure::Edit { fault } => match fault {
            EditFault::Layer => t_string!(i18n, engine.edit_layer),
            EditFault::Head => t_string!(i18n, engine.edit_head),
            EditFault::Factor => t_string!(i18n, engine.edit_factor),
            EditFault::Keys => t_string!(i18n, engine.edit_keys),
        }
        .to_owned(),
        Failure::Cancelled => t_string!(i18n, engine.cancelled).to_owned(),
        Failure::NotReady => t_string!(i18n, engine.not_ready).to_owned(),
        Failure::Protocol { reason } => t_string!(i18n, engine.protocol, reason = reason.clone()),
    }
}

/// By how much a device was wrong, and in which kernels, where that is known.
fn wrong_numbers(i18n: I18nContext<Locale>, difference: Option<f32>, kernels: &[String]) -> String {
    let wrong = match difference {
        Some(difference) => t_string!(
            i18n,
            engine.wrong_numbers,
            difference = format!("{difference:.1e}")
        ),
        None => t_string!(i18n, engine.not_numbers).to_owned(),
    };
    if kernels.is_empty() {
        return wrong;
    }
    let kernels = t_string!(i18n, engine.wrong_kernels, kernels = kernels.join(", "));
    format!("{wrong} {kernels}")
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
