//! Two passes side by side: two heads, texts, models or precisions of one model, or before and after the visitor's edits,
//! under one cursor, and what lies between them.

mod align;
mod axes;
mod context;
mod controls;
mod export;
mod kit;
mod labels;
mod map;
mod maps;
mod models;
pub mod notice;
mod other;
mod overview;
pub mod parameters;
mod precisions;
mod text;
mod words;

use crate::{
    compare::parameters::{Compare, Compared},
    kit::Kit,
    needs::Needs,
    page::Define,
    topic::Topic,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    selection::WhenLive,
    state::{View, ViewState},
    widgets::Prose,
};
use leptos::prelude::*;

use self::{
    context::Comparison,
    controls::{Heads, RightSide, Ways},
    maps::ThreeMaps,
    notice::SecondNotice,
    overview::Overview,
    precisions::Differences,
    words::{Alignment, Largest, Readout},
};

impl Define for Compare {
    const NEEDS: Needs = Needs::Attention;
    const MINUTES: u32 = 4;

    fn topic(_view: &View) -> Topic {
        Topic::Head
    }

    fn title() -> String {
        t_string!(use_i18n(), compare.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        CompareChapter().into_any()
    }
}

#[component]
pub fn CompareChapter() -> impl IntoView {
    view! {
        <Prose part="intro" />
        <CompareFigures />
        <Prose part="partners" />
        <Prose part="read" />
        <Prose part="precisions" />
    }
}

/// The ways to compare, and both sides.
#[component]
pub fn CompareFigures() -> impl IntoView {
    let of = ViewState::expect().select(|view| view.chapters.of::<Compare>().of);
    view! {
        <WhenLive>
            <Ways />
            // Anew for each way to compare: with what is gone a second engine ends.
            {move || view! { <Sides of=of.get() /> }}
        </WhenLive>
    }
}

/// The controls, both maps and what lies between them, every head in small.
#[component]
fn Sides(of: Compared) -> impl IntoView {
    let comparison = Comparison::provide(of);
    let has_heads = Memo::new(move |_| comparison.heads.get().is_some());
    let has_maps = Memo::new(move |_| comparison.maps.read().is_some());
    view! {
        <section class="lesson-figure compare-controls is-wide" data-testid="compare-controls">
            <RightSide />
            // Without a right side there are no heads to choose from.
            <Show when=move || has_heads.get()>
                <Heads />
            </Show>
            {comparison.second.map(|second| view! { <SecondNotice second /> })}
        </section>
        <Show when=move || has_maps.get()>
            {(of == Compared::Precisions).then(|| view! { <Differences /> })}
            <section class="lesson-figure is-wide" data-testid="compare">
                // What is read of a cell stays in view beside the maps, and no longer. Above them it lies over none.
                <div class="compare-view">
                    <Readout />
                    <ThreeMaps />
                    <Alignment />
                </div>
                <Largest />
            </section>
            {(of != Compared::Precisions).then(|| view! {
                <section class="lesson-figure"><Overview /></section>
            })}
        </Show>
    }
}
