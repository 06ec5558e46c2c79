//! Keys and values that decoding keeps: with a cache and without one, in fewer heads, and as short vectors.

mod bytes;
mod grouped;
mod kit;
mod latent;
mod map;
pub mod parameters;
mod questions;
mod timed;

use attention_core::{
    i18n::{t, t_string, use_i18n},
    navigation::FindingLink,
    selection::{Kinds, SelfAttention, WhenLive},
    state::{Task, View, ViewState},
    widgets::Prose,
};
use leptos::prelude::*;

use self::{
    grouped::GroupedFigure, latent::LatentByHand, map::TimesComputed, parameters::KeptView,
    timed::DecodingTimes,
};
use crate::{kit::Kit, needs::Needs, page::Define, topic::Topic};

/// Bytes of a number, in the 32 bits in which the page computes.
const NUMBER_BYTES: usize = 4;

/// The model that continues texts.
const WITH_SENTENCES: &str = "tab=learn&chapter=memory&model=sentences";

impl Define for KeptView {
    const NEEDS: Needs = Needs::SelfAttention;
    const MINUTES: u32 = 5;

    fn topic(_view: &View) -> Topic {
        Topic::Own
    }

    fn title() -> String {
        t_string!(use_i18n(), kept.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        MemoryPage().into_any()
    }
}

#[component]
pub fn MemoryPage() -> impl IntoView {
    let i18n = use_i18n();
    SelfAttention::provide(Kinds::OfSelf);
    let continues = ViewState::expect().select(|view| view.model.card().task == Task::Continue);
    view! {
        <Prose part="intro" />
        <TimesComputed />
        <Prose part="measured" />
        <Show when=move || !continues.get()>
            <p class="position-controls">
                <FindingLink link=WITH_SENTENCES test_id="kept-sentences">
                    {t!(i18n, kept.use_sentences)}
                </FindingLink>
            </p>
        </Show>
        <WhenLive>
            <DecodingTimes />
        </WhenLive>
        <Prose part="groups" />
        <WhenLive>
            <GroupedFigure />
        </WhenLive>
        <Prose part="latent" />
        <LatentByHand />
        <Prose part="sources" />
    }
}
