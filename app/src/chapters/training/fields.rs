//! Fields of the settings, one kind of value each.

use attention_trace::training::{Number, RATES, Task};
use leptos::prelude::*;

use super::{Shown, words::number_name};
use crate::{
    i18n::{t_string, use_i18n},
    state::number_mut,
};

/// A number with bounds; nothing where the task has none of this name.
#[component]
pub fn NumberField(number: Number) -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let value = shown.view(move |training| {
        let mut settings = training.settings.clone();
        number_mut(&mut settings, number).copied()
    });
    let range = number.range();
    view! {
        <Show when=move || value.get().is_some()>
            <label class="number-field training-field">
                <span>{move || number_name(i18n, number)}</span>
                <input
                    type="number"
                    class="number"
                    min=*range.start()
                    max=*range.end()
                    step="1"
                    data-testid=test_id(number)
                    prop:value=move || value.get().map(|value| value.to_string())
                    on:change:target=move |event| {
                        // What is no number counts as 0, which the bounds refuse where it matters.
                        let typed = event.target().value().parse::<f64>().unwrap_or(0.0);
                        let typed = typed.round() as usize;
                        shown.update(|training| {
                            if let Some(value) = number_mut(&mut training.settings, number) {
                                *value = typed;
                            }
                        });
                        let value = value.get_untracked().unwrap_or_default();
                        event.target().set_value(&value.to_string());
                    }
                />
            </label>
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
        <label class="number-field training-field">
            <span>{move || t_string!(i18n, training.rate)}</span>
            <input
                type="number"
                class="number"
                min=*RATES.start()
                max=*RATES.end()
                step="any"
                data-testid="training-rate"
                prop:value=move || rate.get().to_string()
                on:change:target=move |event| {
                    let typed = event.target().value().parse::<f64>().unwrap_or(0.0);
                    shown.update(|training| training.settings.optimizer.schedule.peak = typed);
                    event.target().set_value(&rate.get_untracked().to_string());
                }
            />
        </label>
    }
}

/// The seed of weights and examples.
#[component]
pub fn SeedField() -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let seed = shown.view(|training| training.settings.seed);
    view! {
        <label class="number-field training-field">
            <span>{move || t_string!(i18n, training.seed)}</span>
            <input
                type="number"
                class="number"
                min="0"
                max=u32::MAX
                step="1"
                data-testid="training-seed"
                prop:value=move || seed.get().to_string()
                on:change:target=move |event| {
                    let typed = event.target().value().parse::<f64>().unwrap_or(0.0);
                    // Bounded by the type: a seed too large is the largest.
                    shown.update(|training| training.settings.seed = typed.round() as u32);
                    event.target().set_value(&seed.get_untracked().to_string());
                }
            />
        </label>
    }
}

/// The visitor's own lines or pairs; nothing where the task makes its examples itself.
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
