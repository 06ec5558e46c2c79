//! "Predict": a question, and an answer that the numbers on screen give.

use leptos::prelude::*;

use super::{Prose, Values};
use crate::i18n::{t, use_i18n};

/// A question out of the chapter's text, and its answer, hidden until asked for.
#[component]
pub fn Prompt(
    /// The part that asks.
    question: &'static str,
    /// The part that answers, with places for what was computed.
    answer: &'static str,
    /// What was computed, once it is there.
    #[prop(into)]
    values: Signal<Option<Values>>,
) -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <section class="prompt" data-testid="prompt" data-prompt=question>
            <p class="prompt-name">{t!(i18n, chapters.predict)}</p>
            <Prose part=question />
            <details>
                <summary>{t!(i18n, chapters.answer)}</summary>
                {move || match values.read().is_some() {
                    true => view! { <Prose part=answer values /> }.into_any(),
                    false => view! { <p class="hint">{t!(i18n, chapters.waiting)}</p> }.into_any(),
                }}
            </details>
        </section>
    }
}
