//! The card with the question to the model and its answer. Beside the map it is open; elsewhere it is folded to one
//! line, so that the contents begin near the top of the page.

use leptos::prelude::*;

use super::{
    input::Input, offer::Offer, progress::Progress, result::ResultPanel, sentences::Sentences,
};
use attention_core::{
    edits::EditedMark,
    engine::Live,
    i18n::{t_string, use_i18n},
    names::model_name,
    state::{Tab, ViewState},
};

/// The card with model, sentence and answer.
#[component]
pub fn Ask() -> impl IntoView {
    let tab = ViewState::expect().select(|view| view.tab);
    let unfolded = RwSignal::new(false);
    let in_chapters = Memo::new(move |_| tab.get() != Tab::Explore);
    let is_folded = Memo::new(move |_| in_chapters.get() && !unfolded.get());
    view! {
        <section class="ask" class:in-chapters=in_chapters class:is-folded=is_folded>
            <Show when=move || in_chapters.get()>
                <Line unfolded />
            </Show>
            <div class="ask-card" class:is-hidden=is_folded id="ask-card">
                <Input />
                <ResultPanel />
                <Offer />
                <Sentences />
            </div>
            // Outside of what folds: how the engine is doing matters in chapters too.
            <Progress />
        </section>
    }
}

/// The folded card: one line, and the button that unfolds it.
#[component]
fn Line(unfolded: RwSignal<bool>) -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <div class="ask-line">
            <Show when=move || !unfolded.get()>
                <Summary />
                <EditedMark />
            </Show>
            <button
                type="button"
                class="plain-button"
                data-testid="unfold"
                aria-expanded=move || unfolded.get().to_string()
                aria-controls="ask-card"
                on:click=move |_| unfolded.update(|unfolded| *unfolded = !*unfolded)
            >
                {move || match unfolded.get() {
                    true => t_string!(i18n, shell.fold),
                    false => t_string!(i18n, shell.unfold),
                }}
            </button>
        </div>
    }
}

/// Model, sentence and answer.
#[component]
fn Summary() -> impl IntoView {
    let (live, state) = (Live::expect(), ViewState::expect());
    let name = model_name();
    // The stored example answers the standard view, which is what the address asks for where nothing has run yet.
    let asked = state.select(|view| (view.model, view.text.clone()));
    let ran = live.select(|engine| {
        let job = engine.shown.as_ref()?.job.as_ref()?;
        Some((job.model, job.reads.clone()))
    });
    let shown = Memo::new(move |_| ran.get().unwrap_or_else(|| asked.get()));
    let answer = live.select(|engine| {
        if let Some(running) = &engine.running {
            return Some(running.text.clone());
        }
        let best = engine
            .shown
            .as_ref()?
            .trace
            .decoding
            .as_ref()?
            .hypotheses
            .first()?;
        Some(best.text.clone())
    });
    view! {
        <p class="ask-summary" data-testid="asked">
            <span class="ask-model">{move || name(shown.get().0)}</span>
            <span class="ask-text">{move || shown.get().1}</span>
            <span aria-hidden="true">"→"</span>
            <span class="ask-answer">{answer}</span>
        </p>
    }
}
