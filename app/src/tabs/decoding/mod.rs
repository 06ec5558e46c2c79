//! Decoding, one time step after another.

mod attention;
mod candidates;
mod context;
mod hypotheses;
mod output;
mod step;

use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use self::{
    attention::StepAttention, candidates::Candidates, context::DecodingContext,
    hypotheses::Hypotheses, output::Output,
};
use crate::{
    i18n::{t, t_string, use_i18n},
    widgets::player::Transport,
};

/// Returns what shows the tab. In the chunk of views that the first picture does not need.
///
/// # Errors
/// If the chunk cannot be downloaded; calling again tries again.
#[wasm_split(views, fallible)]
pub fn decoding() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| view! { <DecodingView /> }.into_any())
}

/// The decoding tab.
#[component]
fn DecodingView() -> impl IntoView {
    let i18n = use_i18n();
    let context = DecodingContext::provide();
    let words = Signal::derive(move || {
        let timeline = context.timeline();
        let (step, count) = (timeline.step + 1, timeline.count);
        t_string!(i18n, decoding.step_of, step = step, count = count)
    });
    view! {
        <Show
            when=move || context.has_steps()
            fallback=move || view! {
                <p class="hint" data-testid="no-decoding">{t!(i18n, decoding.not_recorded)}</p>
            }
        >
            <div class="decoding">
                <Transport
                    player=context.player()
                    label=Signal::derive(move || t_string!(i18n, decoding.scrub).to_owned())
                    words
                />
                <Output />
                <div class="decoding-body">
                    <StepAttention />
                    <Candidates />
                </div>
                <Hypotheses />
            </div>
        </Show>
    }
}
