//! Decoding, one time step after another.

mod attention;
mod candidates;
mod context;
mod hypotheses;
mod output;
mod step;
mod timeline;
mod transport;

use leptos::prelude::*;

use self::{
    attention::StepAttention, candidates::Candidates, context::DecodingContext,
    hypotheses::Hypotheses, output::Output, transport::Transport,
};
use crate::i18n::{t, use_i18n};

/// The decoding tab.
#[component]
pub fn DecodingView() -> impl IntoView {
    let i18n = use_i18n();
    let context = DecodingContext::provide();
    view! {
        <Show
            when=move || context.has_steps()
            fallback=move || view! {
                <p class="hint" data-testid="no-decoding">{t!(i18n, decoding.not_recorded)}</p>
            }
        >
            <div class="decoding">
                <Transport />
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
