//! Comparisons to begin with: a click trains both runs, side by side.

use crate::training::parameters::Lesson;
use leptos::prelude::*;

use super::Shown;
use attention_core::{
    i18n::{t_string, use_i18n},
    state::AddressValue,
};

/// A card for each comparison.
#[component]
pub fn Lessons() -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let name = move |lesson| match lesson {
        Lesson::Heads => t_string!(i18n, training.lesson_heads),
        Lesson::Positions => t_string!(i18n, training.lesson_positions),
        Lesson::Rate => t_string!(i18n, training.lesson_rate),
        Lesson::HeadNorm => t_string!(i18n, training.lesson_qk_norm),
        Lesson::Stacks => t_string!(i18n, training.lesson_stacks),
        Lesson::Recurrence => t_string!(i18n, training.lesson_recurrence),
    };
    let question = move |lesson| match lesson {
        Lesson::Heads => t_string!(i18n, training.ask_heads),
        Lesson::Positions => t_string!(i18n, training.ask_positions),
        Lesson::Rate => t_string!(i18n, training.ask_rate),
        Lesson::HeadNorm => t_string!(i18n, training.ask_qk_norm),
        Lesson::Stacks => t_string!(i18n, training.ask_stacks),
        Lesson::Recurrence => t_string!(i18n, training.ask_recurrence),
    };
    let begin = move |lesson: Lesson| {
        let [one, other] = lesson.settings();
        // The form then has the settings of the second run, to go on from.
        shown.update(|training| training.settings = other.clone());
        shown.start(vec![one, other]);
    };
    let card = move |lesson: Lesson| {
        view! {
            <div class="lesson-card">
                <p class="hint">{move || question(lesson)}</p>
                <button
                    type="button"
                    class="lesson-choice"
                    data-testid="training-lesson"
                    data-choice=lesson.address_value()
                    on:click=move |_| begin(lesson)
                >
                    {move || name(lesson)}
                </button>
            </div>
        }
    };
    view! {
        <div
            class="lesson-cards narrow"
            role="group"
            aria-label=move || t_string!(i18n, training.lessons).to_owned()
        >
            {Lesson::ALL.map(card).collect_view()}
        </div>
    }
}
