//! Positional encodings and what they do to a model.

mod bias;
mod block;
mod buckets;
mod by_place;
mod effect;
mod learned;
mod letters;
mod needs_model;
mod scaling;
mod scores;
mod turn;

use attention_trace::positions::PositionalEncoding;
use leptos::prelude::*;

use self::{
    bias::{HeadBias, Slopes},
    block::Block,
    buckets::BucketsFigure,
    effect::Effect,
    learned::LearnedFigures,
    scaling::ScalingFigures,
    turn::Turn,
};
use crate::{
    i18n::{t, t_string, use_i18n},
    names::encoding_names,
    navigation::ViewLink,
    state::{AddressValue, Tab, View, ViewState},
    tabs::positions::{HeadRope, RandomRope, SinusoidalFigures, encoding_in_sight},
    widgets::{Prose, Segmented},
};

/// The chapter.
#[component]
pub fn PositionsChapter() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let encoding = state.select(|view| view.chapters.encodings.encoding);
    view! {
        <Prose part="intro" />
        <Segmented
            label=Signal::derive(move || t_string!(i18n, encodings.way).to_owned())
            options=encoding_names()
            value=encoding
            choose=move |encoding| state.update_chapters(|chapters| chapters.encodings.encoding = encoding)
        />
        <Prose part=Signal::derive(move || encoding.get().address_value()) />
        {move || figures(encoding.get())}
        <Effect />
    }
}

/// What a way is, and how similar it finds two positions.
fn figures(encoding: PositionalEncoding) -> AnyView {
    match encoding {
        PositionalEncoding::None => ().into_any(),
        PositionalEncoding::Learned => view! { <LearnedFigures /> }.into_any(),
        PositionalEncoding::Sinusoidal => {
            view! { <SinusoidalFigures encoding=encoding_in_sight() /> }.into_any()
        }
        PositionalEncoding::T5 => view! {
            <div class="position-figures">
                <BucketsFigure />
                <HeadBias encoding />
            </div>
        }
        .into_any(),
        PositionalEncoding::Rope => view! {
            <Turn />
            <Block />
            <div class="position-figures">
                <RandomRope />
                <HeadRope />
            </div>
            <ScalingFigures />
            <ToPositions />
        }
        .into_any(),
        PositionalEncoding::Alibi => view! {
            <div class="position-figures">
                <Slopes />
                <HeadBias encoding />
            </div>
        }
        .into_any(),
    }
}

/// The way to the tab that shows RoPE on the sentence on screen.
#[component]
fn ToPositions() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <ViewLink
            change=|view: &mut View| view.tab = Tab::Positions
            class="own-sentence"
            test_id="to-positions"
        >
            {t!(i18n, encodings.to_positions)}
        </ViewLink>
    }
}
