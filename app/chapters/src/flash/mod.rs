//! Softmax block by block on a row of the visitor's sentence, and the numbers that blocks move.

mod blocks;
mod kit;
pub mod parameters;
mod traffic;

use attention_core::{
    i18n::{t_string, use_i18n},
    selection::{Kinds, SelfAttention, SelfControls},
    state::View,
    widgets::Prose,
};
use leptos::prelude::*;

use self::{blocks::Blocks, parameters::Flash, traffic::TrafficFigure};
use crate::{kit::Kit, needs::Needs, page::Define, topic::Topic};

impl Define for Flash {
    const NEEDS: Needs = Needs::SelfAttention;
    const MINUTES: u32 = 4;

    fn topic(_view: &View) -> Topic {
        Topic::Own
    }

    fn title() -> String {
        t_string!(use_i18n(), flash.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        FlashPage().into_any()
    }
}

#[component]
pub fn FlashPage() -> impl IntoView {
    SelfAttention::provide(Kinds::OfSelf);
    view! {
        <Prose part="intro" />
        <SelfControls test_ids=["flash-layer", "flash-head"] />
        <Blocks />
        <Prose part="why" />
        <Prose part="traffic" />
        <TrafficFigure />
        <Prose part="sources" />
    }
}
