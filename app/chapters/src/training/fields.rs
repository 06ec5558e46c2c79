//! Fields of the settings, one kind of value each.

use attention_trace::training::{Number, RATES, Task};
use leptos::prelude::*;

use super::{Shown, words::number_name};
use attention_core::{
    i18n::{t_string, use_i18n},
    state::{AddressValue, number_mut},
    widgets::Select,
};

/// A field for a number. Input that is no number counts as 0, which the form refuses if 0 is invalid.
#[component]
fn Field(
    #[prop(into)] name: Signal<String>,
    test_id: &'static str,
    /// The smallest and the largest value; the field accepts others too, and the form reports the fault.
    range: (f64, f64),
    /// The step from one value to the next, or `any`.
    step: &'static str,
    #[prop(into)] value: Signal<String>,
    set: impl Fn(f64) + Send + Sync + 'static,
) -> impl IntoView {
    view! {
        <label class="number-field">
            <span>{name}</span>
            <input
                type="number"
                class="number"
                min=range.0
                max=range.1
                step=step
                data-testid=test_id
                prop:value=value
                on:change:target=move |event| {
                    set(event.target().value().parse().ok().unwrap_or(0.0));
                    event.target().set_value(&value.get_untracked());
                }
            />
        </label>
    }
}

/// A whole number with bounds; empty if the task has none of this name.
#[component]
pub fn NumberField(number: Number) -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let value = shown.view(move |training| {
        let mut settings = training.settings.clone();
        number_mut(&mut settings, number).copied()
    });
    let is_there = Memo::new(move |_| value.get().is_some());
    let range = number.range();
    let range = (*range.start() as f64, *range.end() as f64);
    view! {
        <Show when=move || is_there.get()>
            <Field
                name=Signal::derive(move || number_name(i18n, number).to_owned())
                test_id=test_id(number)
                range
                step="1"
                value=Signal::derive(move || value.get().unwrap_or_default().to_string())
                set=move |typed: f64| shown.update(|training| {
                    if let Some(value) = number_mut(&mut training.settings, number) {
                        *value = typed.round() as usize;
                    }
                })
            />
        </Show>
    }
}

fn test_id(number: Number) -> &'static str {
    match number {
        Number::Layers => "training-layers",
        Number::Heads => "training-heads",
        Number::Width => "training-width",
        Number::Letters => "training-letters",
        Number::Shortest => "training-shortest",
        Number::Longest => "training-longest",
        Number::Places => "training-places",
        Number::Digits => "training-digits",
        Number::Brackets => "training-brackets",
        Number::Batch => "training-batch",
        Number::Steps => "training-steps",
        Number::WarmupSteps => "training-warmup",
    }
}

/// The highest learning rate.
#[component]
pub fn RateField() -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let rate = shown.view(|training| training.settings.optimizer.schedule.peak);
    view! {
        <Field
            name=Signal::derive(move || t_string!(i18n, training.rate).to_owned())
            test_id="training-rate"
            range=(*RATES.start(), *RATES.end())
            step="any"
            value=Signal::derive(move || rate.get().to_string())
            set=move |typed: f64| shown.update(|training| {
                training.settings.optimizer.schedule.peak = typed;
            })
        />
    }
}

/// The seed of weights and examples; one too large is the largest.
#[component]
pub fn SeedField() -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let seed = shown.view(|training| training.settings.seed);
    view! {
        <Field
            name=Signal::derive(move || t_string!(i18n, training.seed).to_owned())
            test_id="training-seed"
            range=(0.0, f64::from(u32::MAX))
            step="1"
            value=Signal::derive(move || seed.get().to_string())
            set=move |typed: f64| shown.update(|training| training.settings.seed = typed.round() as u32)
        />
    }
}

/// The visitor's own lines or pairs; empty if the task generates its examples.
#[component]
pub fn OwnText() -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let text = shown.view(|training| match &training.settings.task {
        Task::Lines { text } | Task::Pairs { text } => Some(text.clone()),
        _ => None,
    });
    let is_there = Memo::new(move |_| text.with(Option::is_some));
    let are_pairs = shown.view(|training| matches!(training.settings.task, Task::Pairs { .. }));
    let name = move || match are_pairs.get() {
        true => t_string!(i18n, training.own_pairs),
        false => t_string!(i18n, training.own_lines),
    };
    view! {
        <Show when=move || is_there.get()>
            <label class="training-own">
                <span>{name}</span>
                <textarea
                    rows="6"
                    spellcheck="false"
                    data-testid="training-text"
                    prop:value=move || text.get()
                    on:input:target=move |event| {
                        let typed = event.target().value();
                        shown.update(|training| {
                            if let Task::Lines { text } | Task::Pairs { text } = &mut training.settings.task {
                                *text = typed;
                            }
                        });
                    }
                ></textarea>
            </label>
        </Show>
    }
}

/// Returns every choice with its name.
pub fn named<T: AddressValue>(name: impl Fn(T) -> String) -> Vec<(T, String)> {
    let choices = T::values().into_iter();
    choices.map(|(choice, _)| (choice, name(choice))).collect()
}

/// A choice among things that are too many to be seen side by side.
#[component]
pub fn Choice<T>(
    #[prop(into)] name: Signal<String>,
    test_id: &'static str,
    #[prop(into)] options: Signal<Vec<(T, String)>>,
    #[prop(into)] value: Signal<T>,
    choose: impl Fn(T) + Copy + Send + Sync + 'static,
) -> impl IntoView
where
    T: AddressValue + Send + Sync,
{
    view! {
        <Select
            name
            test_id
            options=Signal::derive(move || {
                options.get().into_iter().map(|(_, name)| name).collect::<Vec<_>>()
            })
            chosen=Signal::derive(move || {
                let value = value.get();
                options.with(|options| options.iter().position(|(choice, _)| *choice == value))
                    .unwrap_or_default()
            })
            choose=move |index| {
                let choice = options.with_untracked(|options| options.get(index).map(|(choice, _)| *choice));
                if let Some(choice) = choice {
                    choose(choice);
                }
            }
        />
    }
}
