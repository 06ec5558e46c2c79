//! Ten screens from black box to word, for a reader who is familiar with vectors.

mod average;
mod decoder;
mod head;
mod kit;
mod layers;
mod measures;
pub mod parameters;
mod questions;
mod reading;
mod screens;
mod sizes;
mod tokens;
mod training;
mod vectors;
mod weights;

use crate::{kit::Kit, needs::Needs, page::Define, start::parameters::Screen, topic::Topic};
use leptos::prelude::*;

use self::{
    average::Average,
    decoder::Decoder,
    head::{Head, Heads},
    layers::Layers,
    parameters::Start,
    reading::Translate,
    sizes::Sizes,
    tokens::Tokens,
    training::Training,
    vectors::Vectors,
    weights::Weights,
};
use super::follow::Stages;
use attention_core::{
    i18n::{t_string, use_i18n},
    selection::{Kinds, SelfAttention, SelfPlace},
    state::View,
};

impl Define for Start {
    const NEEDS: Needs = Needs::SelfAttention;
    const MINUTES: u32 = 13;

    fn topic(view: &View) -> Topic {
        topic_of(Screen::at(view.chapters.stage))
    }

    fn title() -> String {
        t_string!(use_i18n(), start.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        StartChapter().into_any()
    }
}

/// The place that a screen is about.
fn topic_of(screen: Screen) -> Topic {
    match screen {
        Screen::Translate | Screen::Training => Topic::Whole,
        Screen::Tokens => Topic::Tokens,
        Screen::Vectors => Topic::Embedding,
        Screen::Average | Screen::Weights | Screen::Head | Screen::Heads => Topic::Reading,
        Screen::Layers => Topic::Reader,
        Screen::Decoder => Topic::Writer,
    }
}

#[component]
pub fn StartChapter() -> impl IntoView {
    let context = SelfAttention::provide(Kinds::Reading);
    let values = Memo::new(move |_| {
        let sizes = |place: &SelfPlace| Sizes::of(&place.meta.spec, place.head);
        let sizes = context.with(sizes).flatten();
        Some(sizes.map(Sizes::values).unwrap_or_default())
    });
    let stages = move || {
        let parts = |place: &SelfPlace| screens::parts(&place.meta.spec);
        context.with(parts).unwrap_or_default()
    };
    view! {
        <Stages
            opening="intro"
            stages=Signal::derive(stages)
            values=values.into()
            picture
        />
    }
}

/// Returns the screen that a part of the text explains.
fn picture(part: &'static str) -> AnyView {
    let Some(screen) = screens::of_part(part) else {
        return ().into_any();
    };
    let figure = match screen {
        Screen::Translate => view! { <Translate /> }.into_any(),
        Screen::Tokens => view! { <Tokens /> }.into_any(),
        Screen::Vectors => view! { <Vectors /> }.into_any(),
        Screen::Average => view! { <Average /> }.into_any(),
        Screen::Weights => view! { <Weights /> }.into_any(),
        Screen::Head => view! { <Head /> }.into_any(),
        Screen::Heads => view! { <Heads /> }.into_any(),
        Screen::Layers => view! { <Layers /> }.into_any(),
        Screen::Decoder => view! { <Decoder /> }.into_any(),
        Screen::Training => view! { <Training /> }.into_any(),
    };
    view! { <div class="lesson-figure screen" data-testid="screen">{figure}</div> }.into_any()
}
