//! A field for an answer of the kind that is expected.

use leptos::prelude::*;

use super::expected::{Expected, FALSE, TRUE};
use crate::i18n::{t, t_string, use_i18n};

/// The kind of a field, and what there is to choose from.
#[derive(Clone, PartialEq)]
enum Kind {
    Options(Vec<String>),
    Number,
    Truth,
}

impl From<Expected> for Kind {
    fn from(expected: Expected) -> Self {
        match expected {
            Expected::OneOf { options, .. } => Kind::Options(options),
            Expected::Number { .. } => Kind::Number,
            Expected::Truth(_) => Kind::Truth,
        }
    }
}

/// A field for an answer: a choice, a number to be typed, or true and false. Its element stays while what is right
/// changes and the kind of answer does not.
#[component]
pub fn AnswerField(
    /// The accessible name of the field.
    #[prop(into)]
    name: Signal<String>,
    /// The right answer; nothing is shown until it is known.
    #[prop(into)]
    expected: Signal<Option<Expected>>,
    /// The answer, empty where there is none.
    #[prop(into)]
    given: Signal<String>,
    /// True if the answer can no longer be changed.
    #[prop(into)]
    fixed: Signal<bool>,
    /// Called with another answer.
    give: impl Fn(String) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let kind = Memo::new(move |_| expected.get().map(Kind::from));
    move || {
        Some(match kind.get()? {
            Kind::Options(options) => {
                view! { <Options name options given fixed give /> }.into_any()
            }
            Kind::Number => view! {
                <input
                    class="answer-number"
                    type="text"
                    inputmode="decimal"
                    autocomplete="off"
                    data-testid="answer-number"
                    aria-label=name
                    readonly=fixed
                    prop:value=given
                    on:input:target=move |event| give(event.target().value())
                />
            }
            .into_any(),
            Kind::Truth => view! { <Truth name given fixed give /> }.into_any(),
        })
    }
}

/// A choice, of nothing at first.
#[component]
fn Options(
    name: Signal<String>,
    options: Vec<String>,
    given: Signal<String>,
    fixed: Signal<bool>,
    give: impl Fn(String) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let i18n = use_i18n();
    let option = move |(index, option): (usize, String)| {
        let value = index.to_string();
        let is_given = {
            let value = value.clone();
            move || *given.read() == value
        };
        view! { <option value=value prop:selected=is_given>{option}</option> }
    };
    view! {
        <select
            class="answer-choice"
            data-testid="answer-choice"
            aria-label=name
            disabled=fixed
            on:change:target=move |event| give(event.target().value())
        >
            <option value="" prop:selected=move || given.read().is_empty()>
                {t!(i18n, kits.choose)}
            </option>
            {options.into_iter().enumerate().map(option).collect_view()}
        </select>
    }
}

/// Two buttons for the answers "true" and "false".
#[component]
fn Truth(
    name: Signal<String>,
    given: Signal<String>,
    fixed: Signal<bool>,
    give: impl Fn(String) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let i18n = use_i18n();
    let button = move |value: &'static str| {
        view! {
            <button
                type="button"
                class="lesson-choice"
                data-answer=value
                aria-pressed=move || (*given.read() == value).to_string()
                aria-disabled=move || fixed.get().to_string()
                on:click=move |_| {
                    if !fixed.get_untracked() {
                        give(value.to_owned());
                    }
                }
            >
                {move || match value {
                    TRUE => t_string!(i18n, kits.yes),
                    _ => t_string!(i18n, kits.no),
                }}
            </button>
        }
    };
    view! {
        <div class="answer-truth" role="group" data-testid="answer-truth" aria-label=name>
            {[TRUE, FALSE].map(button)}
        </div>
    }
}
