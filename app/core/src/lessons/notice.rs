//! Notice in place of a figure's numbers while they are missing.

use attention_protocol::lessons::LessonFailure;
use leptos::prelude::*;

use super::{Asked, LessonProblem, Lessons};
use crate::i18n::{t, t_string, use_i18n};

/// Shows that a figure's numbers are being computed, or why they cannot be, and offers to try again. Shows nothing once
/// they are there.
#[component]
pub fn LessonNotice<T: Clone + Send + Sync + 'static>(
    /// The request of the figure.
    asked: Asked<T>,
) -> impl IntoView {
    let i18n = use_i18n();
    let waiting = move || asked.answer.with(Option::is_none);
    move || match asked.problem.get() {
        Some(problem) => view! { <Problem problem /> }.into_any(),
        None if waiting() => view! {
            <p class="hint" role="status">{t!(i18n, lessons.computing)}</p>
        }
        .into_any(),
        None => ().into_any(),
    }
}

#[component]
fn Problem(problem: LessonProblem) -> impl IntoView {
    let i18n = use_i18n();
    let lessons = Lessons::expect();
    let words = move || match &problem {
        LessonProblem::Died(reason) => t_string!(i18n, lessons.died, reason = reason.clone()),
        LessonProblem::Failed(LessonFailure::Refused(reason)) => {
            t_string!(i18n, lessons.refused, reason = reason.clone())
        }
        LessonProblem::Failed(LessonFailure::Missing(reason)) => {
            t_string!(i18n, lessons.missing, reason = reason.clone())
        }
        LessonProblem::Failed(LessonFailure::Protocol(reason)) => {
            t_string!(i18n, lessons.protocol, reason = reason.clone())
        }
    };
    view! {
        <div class="notice problem" role="alert" data-testid="lessons-problem">
            <p class="notice-text">{words}</p>
            <button
                type="button"
                class="plain-button"
                data-testid="lessons-retry"
                on:click=move |_| lessons.retry()
            >
                {t!(i18n, lessons.retry)}
            </button>
        </div>
    }
}
