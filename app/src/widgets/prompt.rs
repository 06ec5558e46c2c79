//! "Predict": a question, and an answer that the numbers on screen give.

use leptos::prelude::*;

use super::{Prose, Values};
use crate::i18n::{t, use_i18n};

/// The questions whose answers are shown. A context: whoever provides it keeps them.
#[derive(Clone, Copy)]
pub struct Answers {
    shown: Signal<Vec<String>>,
    show: Callback<(&'static str, bool)>,
}

impl Answers {
    /// Provides the answers to the components below. `show` is told which is to be shown or hidden.
    pub fn provide(
        shown: impl Into<Signal<Vec<String>>>,
        show: impl Fn(&str, bool) + Send + Sync + 'static,
    ) {
        provide_context(Answers {
            shown: shown.into(),
            show: Callback::new(move |(question, shown): (&'static str, bool)| {
                show(question, shown);
            }),
        });
    }
}

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
    let answers = expect_context::<Answers>();
    let is_shown = Memo::new(move |_| {
        let shown = answers.shown.read();
        shown.iter().any(|other| other == question)
    });
    // The browser opens and closes it; here it is told when an address says so.
    let told = move |open: bool| {
        if open != is_shown.get_untracked() {
            answers.show.run((question, open));
        }
    };
    view! {
        <section class="prompt" data-testid="prompt" data-prompt=question>
            <p class="prompt-name">{t!(i18n, chapters.predict)}</p>
            <Prose part=question />
            <details
                prop:open=move || is_shown.get()
                on:toggle:target=move |event| told(event.target().open())
            >
                <summary>{t!(i18n, chapters.answer)}</summary>
                {move || match values.read().is_some() {
                    true => view! { <Prose part=answer values /> }.into_any(),
                    false => view! { <p class="hint">{t!(i18n, chapters.waiting)}</p> }.into_any(),
                }}
            </details>
        </section>
    }
}
