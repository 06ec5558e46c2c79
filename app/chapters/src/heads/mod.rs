//! Several heads side by side: why, how they differ, and what they have in common with a convolution's kernels.

mod beside;
mod kernels;
mod measured;
mod measures;
mod overlay;

use leptos::prelude::*;

pub use self::measures::{Measured, Weights};
use self::{beside::Beside, kernels::Kernels, measured::AllMeasured, overlay::Overlay};
use attention_core::{
    selection::{Kinds, SelfAttention, SelfControls},
    widgets::Prose,
};

/// The chapter.
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
        <Prose part="measures" />
        <AllMeasured />
        <Prose part="kernels" />
        <Kernels />
    }
}
