//! Decoding, one time step after another.

mod attention;
mod candidates;
mod export;
mod guesses;
mod hypotheses;
mod line;
mod step;
mod token_strip;

use attention_trace::Generates;
use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use self::{
    attention::StepAttention, candidates::Candidates, guesses::Guesses, hypotheses::Hypotheses,
};
use attention_core::{
    i18n::{t, use_i18n},
    steps::Steps,
};

/// Returns the view of the decoding step. In the chunk of views that the first picture does not need.
///
/// # Errors
/// If the chunk cannot be downloaded; calling again tries again.
#[wasm_split(views, fallible)]
pub fn next_word() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| view! { <NextWord /> }.into_any())
}

/// The selected step: the candidates for the next word, and the model's attention. The bar at the foot of the page
/// selects the step.
#[component]
fn NextWord() -> impl IntoView {
    let i18n = use_i18n();
    let steps = Steps::expect();
    let has_steps = Memo::new(move |_| steps.has_steps());
    let generates = Memo::new(move |_| steps.trace().map(|trace| trace.meta.spec.generates));
    view! {
        <Show
            when=move || has_steps.get()
            fallback=move || match generates.get() {
                Some(Generates::MaskedWords) => view! { <Guesses /> }.into_any(),
                Some(Generates::Nothing) => view! {
                    <p class="hint" data-testid="no-words">
                        {t!(i18n, decoding.no_words)}
                    </p>
                }.into_any(),
                Some(Generates::Labels) => view! {
                    <p class="hint" data-testid="no-words">{t!(i18n, picture.no_words)}</p>
                }.into_any(),
                _ => view! {
                    <p class="hint" data-testid="no-decoding">
                        {t!(i18n, decoding.not_recorded)}
                    </p>
                }.into_any(),
            }
        >
            <div class="next-word">
                <Candidates />
                <StepAttention />
                <Hypotheses />
            </div>
        </Show>
    }
}
