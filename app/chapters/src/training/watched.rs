//! The example whose attention is watched.

use attention_trace::training::ExampleFault;
use leptos::prelude::*;

use super::{Shown, words::example_words};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    training::Event,
};

/// A field for the visitor's own input, with the reason if it cannot be watched.
#[component]
pub fn WatchedInput() -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let watched = shown.view(|training| training.watched.clone());
    let task = shown.runs.of_run(
        move || shown.run.get(),
        |run| Some(run.settings.task.clone()),
    );
    let refused = shown
        .runs
        .of_run(move || shown.run.get(), |run| run.example_fault.clone());
    // Nothing is no fault: then an example that is held out is watched.
    let fault_of = move |input: &str| {
        let fault = task.with(|task| task.as_ref()?.example(input).err());
        fault.filter(|fault| *fault != ExampleFault::Empty)
    };
    let fault = Memo::new(move |_| {
        watched
            .with(|input| fault_of(input))
            .or_else(|| refused.get())
    });
    view! {
        <label class="number-field training-watch">
            <span>{t!(i18n, training.watch)}</span>
            <input
                type="text"
                spellcheck="false"
                autocomplete="off"
                data-testid="training-watch"
                placeholder=move || t_string!(i18n, training.watch_hint)
                prop:value=watched
                on:change:target=move |event| {
                    let typed = event.target().value();
                    shown.update(|training| training.watched.clone_from(&typed));
                    if !typed.trim().is_empty() && untrack(|| fault_of(&typed)).is_none() {
                        shown.runs.tell(Event::Watch(typed));
                    }
                }
            />
        </label>
        <p class="training-problem" role="status" data-testid="training-watch-problem">
            {move || fault.get().map(|fault| example_words(i18n, &fault))}
        </p>
    }
}
