//! One block at every depth, and positions that halt: the Universal Transformer with Adaptive Computation Time, by hand
//! and on the visitor's sentence.

mod by_hand;
mod context;
mod controls;
mod effect;
mod kit;
pub mod parameters;
mod passes;
mod played;
mod prompts;
mod token;

use crate::{
    kit::Kit,
    needs::{Lacking, Needs, has_what_is_needed},
    page::Define,
    topic::Topic,
};
use attention_trace::Stack;
use leptos::prelude::*;

use self::{
    by_hand::ByHand,
    context::UniversalContext,
    controls::HaltingControls,
    effect::Effect,
    parameters::UniversalView,
    passes::Passes,
    prompts::{CostPrompt, DeepestPrompt, ShallowPrompt},
    token::TokenUpClose,
};
use attention_core::{
    depths::StackDepths,
    i18n::{t_string, use_i18n},
    state::View,
    widgets::Prose,
};

impl Define for UniversalView {
    const NEEDS: Needs = Needs::Nothing;
    const MINUTES: u32 = 8;

    fn topic(_view: &View) -> Topic {
        Topic::Whole
    }

    fn title() -> String {
        t_string!(use_i18n(), universal.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        UniversalChapter().into_any()
    }
}

#[component]
pub fn UniversalChapter() -> impl IntoView {
    let halts = has_what_is_needed(Needs::Halting);
    view! {
        <Prose part="intro" />
        <Prose part="by-hand" />
        <CostPrompt />
        <ByHand />
        <Prose part="live" />
        <Show when=move || halts.get() fallback=|| view! { <Lacking needs=Needs::Halting /> }>
            <OnScreen />
        </Show>
        <Prose part="found" />
    }
}

/// The figures that need a model with halting positions.
#[component]
fn OnScreen() -> impl IntoView {
    let context = UniversalContext::provide();
    view! {
        <DeepestPrompt />
        <HaltingControls />
        <section class="lesson-figure depths-of-both" data-testid="depths">
            {[Stack::Encoder, Stack::Decoder].map(|stack| {
                view! { <StackDepths stack used=context.used(stack) /> }
            })}
        </section>
        <Prose part="token" />
        <TokenUpClose />
        <Prose part="passes" />
        <Passes />
        <Prose part="effect" />
        <ShallowPrompt />
        <Effect />
    }
}
