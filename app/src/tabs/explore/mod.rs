//! The whole model and every head of it, and beside it the inspector: the chosen head, large, or the decoding step.

mod caption;
mod claims;
mod context;
mod depths;
mod details;
mod display;
mod export;
mod figure;
mod heatmap;
mod legend;
mod lines;
mod map;
mod next_word;
mod picture;
mod sentence;
mod several;
mod toolbar;

use attention_chapters::{Needs, has_what_is_needed};
use leptos::prelude::*;

use self::{
    caption::Caption, context::HeadsContext, depths::Depths, details::Details, figure::Figure,
    map::ModelMap,
};

pub use self::next_word::next_word;

use attention_core::{
    edits::{Distributions, measure_importance},
    engine::Live,
    roles::RolesOnMap,
    state::{Representation, Tool, View, ViewState},
};

/// The largest number of keys of a map that leaves room for the details beside it.
const NARROW: usize = 10;

/// The page's first tab: the map of the model and the inspector.
#[component]
pub fn ExploreView() -> impl IntoView {
    HeadsContext::provide();
    view! {
        <div class="explore">
            <ModelMap />
            <Inspector />
        </div>
    }
}

/// The chosen head or the decoding step, with its details.
#[component]
fn Inspector() -> impl IntoView {
    let context = HeadsContext::expect();
    let state = ViewState::expect();
    let representation = state.select(|view| view.representation);
    let is_narrow = Memo::new(move |_| {
        let keys = context.with_axes(|_, keys| keys.len());
        keys.is_some_and(|keys| keys <= NARROW)
    });
    let live = Live::expect();
    let has_attention = has_what_is_needed(Needs::Attention);
    let is_waiting = Memo::new(move |_| live.trace().is_none());
    let shows_head = Memo::new(move |_| {
        let is_other = matches!(
            representation.get(),
            Representation::NextWord | Representation::Claim
        );
        has_attention.get() && !is_other
    });
    let has_distributions = state.select(shows_distributions);
    measure_importance();
    view! {
        <div
            class="head-side"
            class:has-narrow-map=move || is_narrow.get() && shows_head.get()
            class:is-waiting=is_waiting
        >
            <Figure has_attention />
            <Show when=move || shows_head.get()>
                <Caption />
                <Details />
            </Show>
            <Show when=move || has_attention.get() && has_distributions.get()>
                <Distributions />
            </Show>
            <RolesOnMap />
            <Depths />
        </div>
    }
}

/// Returns true if the inspector contains both distributions of the next word during an edit: beside the head, and in
/// the tools that edit it.
fn shows_distributions(view: &View) -> bool {
    view.representation != Representation::Claim || matches!(view.tool, Tool::Off | Tool::Weight)
}
