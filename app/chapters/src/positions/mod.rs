//! Positional encodings and what they do to a model.

mod bias;
mod block;
mod buckets;
mod by_place;
mod curves;
mod derivation;
mod effect;
mod encoding;
mod head_rope;
mod head_rope_data;
mod learned;
mod letters;
mod needs_model;
mod random;
mod random_rope;
mod scaling;
mod scores;
mod turn;
mod verse;
mod verses;

use attention_trace::positions::PositionalEncoding;
use leptos::prelude::*;

use self::{
    bias::{HeadBias, Slopes},
    block::Block,
    buckets::BucketsFigure,
    derivation::Derivation,
    effect::Effect,
    encoding::SinusoidalFigures,
    head_rope::HeadRope,
    learned::LearnedFigures,
    random_rope::RandomRope,
    scaling::ScalingFigures,
    turn::Turn,
    verses::Verses,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    names::encoding_names,
    state::{AddressValue, ViewState},
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
        <Prose part="poems" />
        <Verses />
    }
}

/// What a way is, and how similar it finds two positions.
fn figures(encoding: PositionalEncoding) -> AnyView {
    match encoding {
        PositionalEncoding::None => ().into_any(),
        PositionalEncoding::Learned => view! { <LearnedFigures /> }.into_any(),
        PositionalEncoding::Sinusoidal => view! { <SinusoidalFigures /> }.into_any(),
        PositionalEncoding::T5 => view! {
            <div class="position-figures">
                <BucketsFigure />
                <HeadBias encoding />
            </div>
        }
        .into_any(),
        PositionalEncoding::Rope => view! {
            <Turn />
            <Prose part="derivation" />
            <Derivation />
            <Block />
            <div class="position-figures">
                <RandomRope />
                <HeadRope />
            </div>
            <ScalingFigures />
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
