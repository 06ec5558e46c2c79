//! Multi-head attention: its purpose, the differences between heads, and the comparison with a convolution's kernels.

mod beside;
mod by_hand;
mod kernels;
mod kit;
mod layer;
mod measured;
mod measures;
mod minus;
mod overlay;
pub mod parameters;
pub mod questions;
mod widths;

use crate::{kit::Kit, needs::Needs, page::Define, topic::Topic};
use leptos::prelude::*;

pub use self::measures::{Measured, Weights};
use self::{
    beside::Beside, kernels::Kernels, layer::WholeLayer, measured::AllMeasured, minus::Minus,
    overlay::Overlay, parameters::Heads, widths::HeadsByHand,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    selection::{Kinds, SelfAttention, SelfControls},
    state::View,
    widgets::Prose,
};

impl Define for Heads {
    const NEEDS: Needs = Needs::SelfAttention;
    const MINUTES: u32 = 9;

    fn topic(_view: &View) -> Topic {
        Topic::Own
    }

    fn title() -> String {
        t_string!(use_i18n(), many_heads.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        HeadsChapter().into_any()
    }
}

/// The text and the figures of the chapter about heads.
#[component]
pub fn HeadsChapter() -> impl IntoView {
    SelfAttention::provide(Kinds::OfSelf);
    view! {
        <Prose part="intro" />
        <SelfControls test_ids=["heads-layer", "heads-head"] />
        <Prose part="overlay" />
        <Overlay />
        <Prose part="beside" />
        <Beside />
        <Prose part="layer" />
        <WholeLayer />
        <Prose part="queries" />
        <HeadsByHand />
        <Prose part="sizes" />
        <Prose part="measures" />
        <AllMeasured />
        <Prose part="kernels" />
        <Kernels />
        <Prose part="minus" />
        <Minus />
    }
}
