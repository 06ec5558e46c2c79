//! Predictions that the chapter asks of its readers.

use attention_trace::training::TrainingSettings;
use leptos::prelude::*;

use super::Shown;
use attention_core::{
    i18n::{t_string, use_i18n},
    widgets::{Prompt, numbers::decimal},
};

/// The loss of a model that has learned nothing.
#[component]
pub fn StartPrompt() -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let settings = shown.view(|training| training.settings.clone());
    let measured = shown.runs.of_run(
        move || shown.run.get(),
        |run| Some((run.settings.clone(), run.steps.first()?.loss)),
    );
    let values = Signal::derive(move || {
        let measured = measured.get();
        // That of the run on screen, if there is one: it may be another than the form's.
        let settings = measured
            .as_ref()
            .map_or_else(|| settings.get(), |(settings, _)| settings.clone());
        let vocabulary = vocabulary(&settings)?;
        let measured =
            measured.map(|(_, loss)| t_string!(i18n, training.first_loss, loss = decimal(loss, 3)));
        Some(vec![
            ("vocabulary", vocabulary.to_string()),
            ("expected", decimal((vocabulary as f32).ln(), 3)),
            ("measured", measured.unwrap_or_default()),
        ])
    });
    view! { <Prompt question="ask-start" answer="answer-start" values /> }
}

fn vocabulary(settings: &TrainingSettings) -> Option<usize> {
    // The form shows the fault.
    let vocabulary = settings.vocabulary().ok()?;
    Some(vocabulary.len())
}
