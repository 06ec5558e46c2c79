//! Recurrence, convolution and self-attention side by side: parallel computation, path lengths of signals, costs by
//! formula and by the clock, and fixed weights against computed ones.

mod controls;
mod counted;
mod fading;
mod fixed;
mod games;
mod gates;
mod kernel;
mod kit;
mod made;
mod panel;
pub mod parameters;
mod points;
mod pooling;
mod prompts;
pub mod questions;
mod stacks;
mod timed;
mod timed_tables;
mod words;

use crate::{kit::Kit, needs::Needs, page::Define, topic::Topic};
use leptos::prelude::*;

use self::{
    counted::Counted,
    fading::FadingFigure,
    fixed::FixedOrDynamic,
    games::AttentionGames,
    gates::GatesByHand,
    kernel::KernelOfHead,
    parameters::LayersLab,
    pooling::Pooling,
    prompts::{CrossingPrompt, EvenPrompt, ReachPrompt, StepsPrompt},
    stacks::StacksFigure,
    timed::TimedLayers,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    selection::{Kinds, SelfAttention, SelfControls},
    state::View,
    widgets::Prose,
};

impl Define for LayersLab {
    const NEEDS: Needs = Needs::SelfAttention;
    const MINUTES: u32 = 17;

    fn topic(_view: &View) -> Topic {
        Topic::Own
    }

    fn title() -> String {
        t_string!(use_i18n(), layers.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        LayersChapter().into_any()
    }
}

#[component]
pub fn LayersChapter() -> impl IntoView {
    SelfAttention::provide(Kinds::OfSelf);
    view! {
        <Prose part="intro" />
        <StacksFigure />
        <StepsPrompt />
        <ReachPrompt />
        <Prose part="gates" />
        <GatesByHand />
        <Prose part="fading" />
        <FadingFigure />
        <Prose part="cost" />
        <Counted />
        <CrossingPrompt />
        <Prose part="timed" />
        <TimedLayers />
        <Prose part="capacity" />
        <Prose part="dynamic" />
        <SelfControls test_ids=["layers-layer", "layers-head"] />
        <FixedOrDynamic />
        <Prose part="kernel" />
        <KernelOfHead />
        <Prose part="pooling" />
        <EvenPrompt />
        <Pooling />
        <Prose part="people" />
        <AttentionGames />
        <Prose part="like-pooling" />
    }
}
