//! Texts that are long: windows, sinks, the reach of layers, and RoPE beyond its training length.

mod kit;
pub mod parameters;
pub(crate) mod passes;
mod questions;
mod reach;
mod sinks;
mod stretch;
pub(crate) mod surprise;
mod windows;
mod written;

use attention_core::{
    i18n::{t_string, use_i18n},
    selection::{Kinds, SelfAttention, WhenLive},
    state::View,
    widgets::Prose,
};
use leptos::prelude::*;

use self::{
    parameters::LongTexts, reach::ReachFigure, sinks::SinksFigure, stretch::StretchFigure,
    windows::WindowsFigure,
};
use crate::{kit::Kit, needs::Needs, page::Define, topic::Topic};

impl Define for LongTexts {
    const NEEDS: Needs = Needs::SelfAttention;
    const MINUTES: u32 = 8;

    fn topic(_view: &View) -> Topic {
        Topic::Own
    }

    fn title() -> String {
        t_string!(use_i18n(), long.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        LongChapter().into_any()
    }
}

#[component]
pub fn LongChapter() -> impl IntoView {
    SelfAttention::provide(Kinds::OfSelf);
    view! {
        <Prose part="intro" />
        <Prose part="window" />
        <WhenLive>
            <WindowsFigure />
        </WhenLive>
        <Prose part="sinks" />
        <WhenLive>
            <SinksFigure />
        </WhenLive>
        <Prose part="reach" />
        <ReachFigure />
        <Prose part="stretch" />
        <WhenLive>
            <StretchFigure />
        </WhenLive>
        <Prose part="none" />
    }
}
