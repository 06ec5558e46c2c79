//! Recurrence, convolution and self-attention side by side: what can be computed at once, how far a signal travels, what
//! a layer costs by its formula and by the clock, and weights that are fixed against weights that are computed.

mod controls;
mod counted;
mod fixed;
mod kernel;
mod made;
mod panel;
mod points;
mod pooling;
mod prompts;
mod stacks;
mod timed;
mod timed_tables;
mod words;

use leptos::prelude::*;

use self::{
    counted::Counted,
    fixed::FixedOrDynamic,
    kernel::KernelOfHead,
    pooling::Pooling,
    prompts::{CrossingPrompt, EvenPrompt, ReachPrompt, StepsPrompt},
    stacks::StacksFigure,
    timed::TimedLayers,
};
use attention_core::{
    selection::{Kinds, SelfAttention, SelfControls},
    widgets::Prose,
};

/// The chapter.
#[component]
pub fn LayersChapter() -> impl IntoView {
    SelfAttention::provide(Kinds::OfSelf);
    view! {
        <Prose part="intro" />
        <StacksFigure />
        <StepsPrompt />
        <ReachPrompt />
        <Prose part="cost" />
        <Counted />
        <CrossingPrompt />
        <Prose part="timed" />
        <TimedLayers />
        <Prose part="dynamic" />
        <SelfControls test_ids=["layers-layer", "layers-head"] />
        <FixedOrDynamic />
        <Prose part="kernel" />
        <KernelOfHead />
        <Prose part="pooling" />
        <EvenPrompt />
        <Pooling />
    }
}
